//! Confined programs: what a bot of somebody else may do on this machine, as far as the system can
//! be told.
//!
//! A confined program is started by way of this program's own hidden command `confine`, which takes
//! the limits upon itself ([`Confinement::enter`]) and then becomes the bot: limits are inherited
//! and cannot be taken back. Its environment is empty but for a few variables, so that no secret of
//! the server is in it.
//!
//! | what | by |
//! |---|---|
//! | files: its own folder, and those of the system that programs need | Landlock |
//! | TCP: only to the port that it is asked over | Landlock |
//! | signals to other processes | Landlock |
//! | all other sockets; leaving its process group; `io_uring`, `ptrace`, mounts | seccomp |
//! | memory and processor time of each process, processes of the user, size of files | rlimits |
//!
//! What a system has of these is found out by trying ([`restrictions`]) and told to whoever relies
//! on it.

use std::fmt;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getuid, setrlimit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The hidden command of this program that becomes a confined one.
pub const COMMAND: &str = "confine";

/// Folders and files of the system that a program may read: programs, libraries, and what they look
/// up. None has secrets; the rest of `/etc` may.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/nix/store",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/passwd",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/sys/devices/system/cpu",
];

/// Devices that it may also write to.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The variables of the environment that a confined program has.
const VARIABLES: &[&str] = &["PATH", "LANG", "LC_ALL", "TZ"];

/// The folder in a program's own folder for temporary files while it is built.
const TEMPORARY: &str = ".tmp";

/// Limits of a confined program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Most bytes of memory of each of its processes.
    pub memory: u64,
    /// Most processes and threads that it may add to those of the user.
    pub processes: u64,
    /// Most seconds of processor time of each of its processes.
    pub cpu: u64,
    /// Most bytes of a file that it writes.
    pub file: u64,
    /// Further folders and files that it may read.
    pub readable: Vec<PathBuf>,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { memory: 4 << 30, processes: 64, cpu: 300, file: 64 << 20, readable: Vec::new() }
    }
}

/// What one program may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Its own folder.
    pub folder: PathBuf,
    /// Whether it may write there, as a build must.
    pub writes: bool,
    /// The port of this machine to which it may connect; `None` for none.
    pub port: Option<u16>,
    /// Its limits.
    pub bounds: Bounds,
}

impl Confinement {
    /// The command that starts a program so confined.
    pub(crate) fn wrap(&self, program: &Path, arguments: &[String]) -> io::Result<Command> {
        // The file that runs, whatever has been put in its place since.
        let ourselves = if cfg!(target_os = "linux") {
            PathBuf::from("/proc/self/exe")
        } else {
            std::env::current_exe()?
        };
        let mut command = Command::new(ourselves);
        let limits = serde_json::to_string(self).map_err(io::Error::other)?;
        command.args([COMMAND, &limits, "--"]).arg(program).args(arguments).env_clear();
        for name in VARIABLES {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("HOME", &self.folder).env("PYTHONDONTWRITEBYTECODE", "1");
        if self.writes {
            let temporary = self.folder.join(TEMPORARY);
            std::fs::create_dir_all(&temporary)?;
            command.env("TMPDIR", temporary);
        }
        Ok(command)
    }

    /// Takes the limits upon this process and becomes the program; returns only if that fails.
    pub fn enter(&self, program: &Path, arguments: &[String]) -> io::Error {
        let limited = (|| -> io::Result<()> {
            let fixed = |most| Rlimit { current: Some(most), maximum: Some(most) };
            let Bounds { memory, processes, cpu, file, .. } = self.bounds;
            setrlimit(Resource::Core, fixed(0))?;
            setrlimit(Resource::Fsize, fixed(file))?;
            setrlimit(Resource::Cpu, fixed(cpu))?;
            // Before files are out of reach.
            if let Some(running) = tasks_of_user() {
                setrlimit(Resource::Nproc, fixed(running + processes))?;
            }
            system::restrict(self)?;
            // Last, as this program may have more already.
            Ok(setrlimit(Resource::As, fixed(memory))?)
        })();
        if let Err(error) = limited {
            return io::Error::new(error.kind(), format!("it cannot be confined: {error}"));
        }
        let error = Command::new(program).args(arguments).exec();
        let hint = match error.kind() {
            io::ErrorKind::PermissionDenied => {
                "; a confined program runs only what is in its folder, in folders of the system \
                 such as /usr, or in those listed in `readable`"
            }
            _ => "",
        };
        io::Error::new(error.kind(), format!("{}: {error}{hint}", program.display()))
    }

    /// What it may read, without folders that its own folder stands in: beside it may be others'.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing restricts files"))]
    fn readable(&self) -> Vec<PathBuf> {
        let own = std::fs::canonicalize(&self.folder).unwrap_or_else(|_| self.folder.clone());
        let further = ["java", "python3"].iter().flat_map(|name| settings(name));
        let system = SYSTEM.iter().map(PathBuf::from).chain(further);
        let holds_own = |path: &PathBuf| {
            let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
            own.starts_with(path)
        };
        system.chain(self.bounds.readable.iter().cloned()).filter(|path| !holds_own(path)).collect()
    }
}

/// The folders in `/etc` of a language's settings.
fn settings(language: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    let named = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(language))
    };
    entries.map(|entry| entry.path()).filter(named).collect()
}

/// The number of threads of this user's processes; `None` where it is not known, or the user is one
/// whose processes are not counted.
fn tasks_of_user() -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let user = getuid();
    if user.is_root() {
        return None;
    }
    let mut tasks = 0;
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        let numbered = entry.file_name().to_string_lossy().bytes().all(|b| b.is_ascii_digit());
        let own = || entry.metadata().is_ok_and(|data| data.uid() == user.as_raw());
        if numbered && own() {
            let threads = std::fs::read_dir(entry.path().join("task"));
            tasks += threads.map_or(0, |threads| threads.count() as u64);
        }
    }
    (tasks > 0).then_some(tasks)
}

/// Something that a confined program is kept from, and whether this system can do it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Restriction {
    /// What it is, such as "files of others".
    pub what: &'static str,
    /// Why it is not kept from it on this system, and what would help; `null` where it is.
    pub lack: Option<&'static str>,
}

impl fmt::Display for Restriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lack {
            None => write!(f, "{}: yes", self.what),
            Some(lack) => write!(f, "{}: NO, {lack}", self.what),
        }
    }
}

/// What confined programs are kept from on this system, found out by trying, once.
pub fn restrictions() -> &'static [Restriction] {
    static FOUND: OnceLock<Vec<Restriction>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let system::Found { files, tcp, signals, calls } = system::found();
        let no_files = "the system has no Landlock (Linux 5.13, in /sys/kernel/security/lsm)";
        let no_tcp = "the system's Landlock knows no network (Linux 6.7): programs can connect to \
                      other machines and to this server";
        let no_signals = "the system's Landlock knows no signals (Linux 6.12): programs can end \
                          others of the same user";
        let no_calls = "the system has no seccomp filters for this processor";
        let no_processes = match tasks_of_user() {
            None if getuid().is_root() => {
                Some("the processes of root are not limited: run the server as a user of its own")
            }
            None => Some("the system does not say how many processes there are (no /proc)"),
            Some(_) => None,
        };
        let restriction =
            |what, held: bool, lack| Restriction { what, lack: (!held).then_some(lack) };
        vec![
            restriction("files of others", files, no_files),
            restriction("TCP but to the game", tcp, no_tcp),
            restriction("other sockets", calls, no_calls),
            restriction("signals to others", signals, no_signals),
            Restriction { what: "more processes than allowed", lack: no_processes },
            // Set for every program; one that cannot be limited is not started.
            Restriction {
                what: "more memory, processor time and file sizes than allowed",
                lack: None,
            },
        ]
    })
}

/// What is not kept from confined programs here, in words; empty where all is.
pub fn missing() -> Vec<String> {
    let missing = restrictions().iter().filter(|restriction| restriction.lack.is_some());
    missing.map(Restriction::to_string).collect()
}

#[cfg(target_os = "linux")]
mod system {
    //! Landlock and seccomp.

    use std::collections::BTreeMap;
    use std::io;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, LandlockStatus, NetPort, Ruleset, RulesetAttr,
        RulesetCreatedAttr, Scope, path_beneath_rules,
    };
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, TargetArch,
    };

    use super::{Confinement, DEVICES};

    /// The kinds of access that are known here; an older system restricts what it knows.
    const KNOWN: ABI = ABI::V6;

    /// What the system can do.
    pub(super) struct Found {
        pub(super) files: bool,
        pub(super) tcp: bool,
        pub(super) signals: bool,
        pub(super) calls: bool,
    }

    /// Restricts this thread, and whatever it becomes, as far as the system can.
    pub(super) fn restrict(confinement: &Confinement) -> io::Result<()> {
        landlock(Some(confinement)).map_err(io::Error::other)?;
        match filter() {
            Some(filter) => seccompiler::apply_filter(&filter).map_err(io::Error::other),
            None => Ok(()),
        }
    }

    /// Tries it on a thread that then ends.
    pub(super) fn found() -> Found {
        let tried = std::thread::spawn(|| {
            let abi = landlock(None).unwrap_or(ABI::Unsupported);
            let calls = filter().is_some_and(|filter| seccompiler::apply_filter(&filter).is_ok());
            let has = |least| abi >= least;
            let (files, tcp, signals) = (has(ABI::V1), has(ABI::V4), has(ABI::V6));
            Found { files, tcp, signals, calls }
        });
        tried.join().unwrap_or(Found { files: false, tcp: false, signals: false, calls: false })
    }

    /// Allows what the confinement says, and with `None` nothing; returns what the system knows.
    fn landlock(confinement: Option<&Confinement>) -> Result<ABI, landlock::RulesetError> {
        let mut rules = Ruleset::default()
            .handle_access(AccessFs::from_all(KNOWN))?
            .handle_access(AccessNet::from_all(KNOWN))?
            .scope(Scope::from_all(KNOWN))?
            .create()?;
        if let Some(confinement) = confinement {
            let (all, read) = (AccessFs::from_all(KNOWN), AccessFs::from_read(KNOWN));
            let own = if confinement.writes { all } else { read };
            let device = AccessFs::ReadFile | AccessFs::WriteFile;
            rules = rules
                .add_rules(path_beneath_rules(confinement.readable(), read))?
                .add_rules(path_beneath_rules([&confinement.folder], own))?
                .add_rules(path_beneath_rules(DEVICES, device))?;
            if let Some(port) = confinement.port {
                rules = rules.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
            }
        }
        Ok(match rules.restrict_self()?.landlock {
            LandlockStatus::Available { effective_abi, .. } => effective_abi,
            _ => ABI::Unsupported,
        })
    }

    /// Calls that are refused whatever their arguments: they leave the process group, reach into
    /// other processes, or do by another way what is refused here or by Landlock.
    const REFUSED: &[i64] = &[
        libc::SYS_setsid,
        libc::SYS_setpgid,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_getfd,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
    ];

    /// The filter of system calls; `None` where there is none for the processor.
    fn filter() -> Option<BpfProgram> {
        let target = TargetArch::try_from(std::env::consts::ARCH).ok()?;
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            REFUSED.iter().map(|&call| (call, Vec::new())).collect();
        rules.insert(libc::SYS_socket, sockets()?);
        let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, target).ok()?;
        filter.try_into().ok()
    }

    /// All calls of `socket` but those for TCP, which Landlock restricts.
    fn sockets() -> Option<Vec<SeccompRule>> {
        let argument = |index, operator, value: i32| {
            let value = u64::from(value.cast_unsigned());
            SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value).ok()
        };
        let not = |index, value| argument(index, SeccompCmpOp::Ne, value);
        let rule = |conditions: Vec<SeccompCondition>| SeccompRule::new(conditions).ok();
        let (four, six) = (libc::AF_INET, libc::AF_INET6);
        // Other families, among them those of the system's own services.
        let mut rules = vec![rule(vec![not(0, four)?, not(0, six)?])?];
        // The lowest four bits are the type; a stream is 1.
        for bits in [2, 4, 8] {
            let set = SeccompCmpOp::MaskedEq(bits);
            rules.push(rule(vec![argument(1, set, i32::try_from(bits).ok()?)?])?);
        }
        rules.push(rule(vec![argument(1, SeccompCmpOp::MaskedEq(1), 0)?])?);
        // Streams of other protocols than TCP.
        rules.push(rule(vec![not(2, 0)?, not(2, libc::IPPROTO_TCP)?])?);
        Some(rules)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    //! A system without Landlock and seccomp.

    use std::io;

    use super::Confinement;

    /// What the system can do.
    pub(super) struct Found {
        pub(super) files: bool,
        pub(super) tcp: bool,
        pub(super) signals: bool,
        pub(super) calls: bool,
    }

    /// Restricts nothing; [`found`] says so.
    pub(super) fn restrict(_: &Confinement) -> io::Result<()> {
        Ok(())
    }

    /// Nothing.
    pub(super) fn found() -> Found {
        Found { files: false, tcp: false, signals: false, calls: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_the_system_with_the_bots_in_it_is_not_readable() {
        let home = tempfile::tempdir().expect("a folder");
        let own = home.path().join("team/version");
        std::fs::create_dir_all(&own).expect("a folder");
        let (holds, beside) = (home.path().to_owned(), home.path().join("lib"));
        let readable = vec![holds.clone(), own.clone(), beside.clone()];
        let bounds = Bounds { readable, ..Bounds::default() };
        let confinement = Confinement { folder: own.clone(), writes: false, port: None, bounds };
        let readable = confinement.readable();
        assert!(readable.contains(&beside) && readable.contains(&PathBuf::from("/usr")));
        assert!(!readable.contains(&holds) && !readable.contains(&own));
    }

    #[test]
    fn what_a_system_cannot_do_is_said_with_what_would_help() {
        assert_eq!(restrictions().len(), 6);
        for restriction in restrictions() {
            let text = restriction.to_string();
            assert!(text.starts_with(restriction.what), "{text}");
            assert_eq!(text.contains("NO, "), restriction.lack.is_some());
        }
        assert!(missing().len() <= restrictions().len());
    }
}
