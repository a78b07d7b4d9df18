//! `cardroom systemd`: a unit file for running the server under systemd.

use std::path::PathBuf;

use crate::exit::Failure;

/// Print a hardened systemd unit that runs the server.
///
/// Typical use: `cardroom systemd | sudo tee /etc/systemd/system/cardroom.service`, then
/// `sudo systemctl enable --now cardroom`.
#[derive(clap::Args)]
pub struct Args {
    /// The program the unit starts [default: this one]
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// The configuration file, passed to the service as a credential
    #[arg(long, value_name = "FILE", default_value = "/etc/cardroom/cardroom.toml")]
    config: PathBuf,
    /// An existing user to run as [default: one that systemd creates while the service runs]
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// How long the server may take to stop, as in the configuration
    #[arg(long, value_name = "TIME", default_value = "30s")]
    grace: crate::config::units::Time,
}

/// Runs the command: prints the unit.
pub fn run(args: Args) -> Result<(), Failure> {
    let program = match args.program {
        Some(program) => program,
        None => std::env::current_exe().map_err(anyhow::Error::from)?,
    };
    for path in [&program, &args.config] {
        if path.is_relative() || path.to_string_lossy().contains(char::is_whitespace) {
            return Err(Failure::usage(format!(
                "a unit needs absolute paths without blanks, not `{}`",
                path.display()
            )));
        }
    }
    let user = match &args.user {
        None => "DynamicUser=yes".to_owned(),
        Some(name) if name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)) => {
            format!("User={name}\nGroup={name}")
        }
        Some(name) => return Err(Failure::usage(format!("`{name}` is not a user name"))),
    };
    // Time to drain, and some to write remaining data.
    let stop = args.grace.0.as_secs() + 15;
    let text = UNIT
        .replace("@PROGRAM@", &program.to_string_lossy())
        .replace("@CONFIG@", &args.config.to_string_lossy())
        .replace("@USER@", &user)
        .replace("@GRACE@", &args.grace.to_string())
        .replace("@STOP@", &stop.to_string());
    crate::output::print(&text)
}

/// Checked with `systemd-analyze verify` and `systemd-analyze security --offline=true`.
const UNIT: &str = "\
[Unit]
Description=cardroom, a bot server for computer poker
Documentation=https://github.com/cardroom/cardroom
After=network-online.target
Wants=network-online.target

[Service]
Type=notify
NotifyAccess=main
ExecStart=@PROGRAM@ serve --config ${CREDENTIALS_DIRECTORY}/cardroom.toml --data \
${STATE_DIRECTORY} --grace \"@GRACE@\"
LoadCredential=cardroom.toml:@CONFIG@
Restart=on-failure
RestartSec=2s
WatchdogSec=30s
TimeoutStopSec=@STOP@s
KillSignal=SIGTERM

@USER@
StateDirectory=cardroom
StateDirectoryMode=0750
WorkingDirectory=%S/cardroom
UMask=0077

NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
PrivateIPC=yes
ProtectProc=invisible
ProcSubset=pid
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
RemoveIPC=yes
KeyringMode=private
CapabilityBoundingSet=
AmbientCapabilities=
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
# This machine only. To host tables for other machines, or to play at theirs, add their addresses.
IPAddressDeny=any
IPAddressAllow=localhost
LimitNOFILE=8192
TasksMax=512

[Install]
WantedBy=multi-user.target
";
