//! Configuration: layers and their order, and what is said about mistakes.

use crate::program::{self, Folder, Run, shows};

fn run(config: &str, words: &str, variables: &[(&str, &str)]) -> Run {
    let folder = Folder::with_config(config);
    program::run(folder.command(words).envs(variables.iter().copied()))
}

/// `config show` as key, value and origin.
fn show(config: &str, variables: &[(&str, &str)]) -> serde_json::Value {
    let document = run(config, "config show --json", variables).code(0).json();
    assert_eq!(document["schema"], "cardroom-config/1");
    document["values"].clone()
}

#[test]
fn later_layers_win_and_every_value_knows_its_origin() {
    let config = "[server]\nbind = \"127.0.0.1:1\"\ngrace = \"5s\"\n\n[[tables]]\nname = \"t\"\n\
                  game = \"kuhn.limit.2p\"\nseats = [{ agent = \"call\" }, { port = 0 }]\n";
    let variables = [
        ("CARDROOM_SERVER__GRACE", "250ms"),
        ("CARDROOM_TABLES__0__HANDS", "12"),
        ("CARDROOM_TABLES__0__SEED", "77"),
        ("CARDROOM_AGENTS__MINE__KIND", "call"),
    ];
    let shown = show(config, &variables);
    let check = |key: &str, value: &str, origin: &str| {
        assert_eq!(shown[key]["value"], value, "{key}");
        assert_eq!(shown[key]["origin"], origin, "{key}");
    };
    check("server.bind", "\"127.0.0.1:1\"", "cardroom.toml:2");
    check("server.grace", "\"250ms\"", "environment variable CARDROOM_SERVER__GRACE");
    check("server.data", "\"data\"", "default");
    check("tables[0].name", "\"t\"", "cardroom.toml:6");
    check("tables[0].hands", "12", "environment variable CARDROOM_TABLES__0__HANDS");
    check("tables[0].seed", "77", "environment variable CARDROOM_TABLES__0__SEED");
    check("tables[0].queue", "16", "default");
    check("tables[0].seats[0].agent", "\"call\"", "cardroom.toml:8");
    check("agents.mine.kind", "\"call\"", "environment variable CARDROOM_AGENTS__MINE__KIND");
}

#[test]
fn the_sample_shows_every_key_with_its_default() {
    // Taking the comment signs off all lines that are settings must change nothing.
    let sample = include_str!("../../examples/cardroom.toml");
    let is_setting = |line: &str| {
        let key = line.split(['=', ']']).next().unwrap_or_default().trim_matches(['[', ' ']);
        let word = |c: char| c.is_ascii_lowercase() || c == '_' || c == '.';
        (line.contains(" = ") || line.starts_with('[')) && key.chars().all(word)
    };
    let uncommented: Vec<&str> = sample
        .lines()
        .filter_map(|line| match line.strip_prefix("# ") {
            Some(rest) => is_setting(rest).then_some(rest),
            None => Some(line),
        })
        .collect();
    let without_examples = |text: String| {
        let start = text.find("[agents.friend]").expect("the example of an agent");
        let end = text.find("[[tables]]").expect("the tables");
        format!("{}{}", &text[..start], &text[end..])
    };
    let text = without_examples(uncommented.join("\n"));
    let dealers = text.find("[[dealers]]").expect("the example of a dealer");
    let defaults = show("", &[]);
    let from_sample = show(&text[..dealers], &[]);
    let values = |shown: &serde_json::Value| -> Vec<(String, String)> {
        let shown = shown.as_object().expect("an object").iter();
        shown.map(|(key, value)| (key.clone(), value["value"].to_string())).collect()
    };
    assert_eq!(values(&from_sample), values(&defaults));
    // Every key is in the sample (the dealers follow below).
    let shown = from_sample.as_object().expect("an object").iter();
    for (key, value) in shown.filter(|(key, _)| *key != "dealers") {
        assert_ne!(value["origin"], "default", "{key} is not in the sample");
    }
    // The examples can be used as they stand.
    run(&text, "config check", &[]).code(0);
    // And the sample as it is changes nothing either.
    assert_eq!(values(&show(sample, &[])), values(&defaults));
}

#[test]
fn mistakes_are_one_line_with_their_place_and_exit_code_3() {
    for case in include_str!("../data/configuration-mistakes.txt").split("---\n") {
        // An empty line after it is the end of the message.
        let case = case.strip_suffix('\n').expect("a line");
        let (config, expected) = case.split_once("=> ").expect("a case");
        for command in ["config check", "serve"] {
            let said = run(config, command, &[]).says_only(3, &[]).stderr;
            assert!(said.starts_with(&format!("error: {expected}")), "{config}\n{said}");
        }
    }
}

#[test]
fn mistakes_in_variables_name_the_variable() {
    let cases = [
        ("CARDROOM_SERVER__BND", "x", "there is no key `server.bnd` (did you mean `bind`?)"),
        (
            "CARDROOM_SERVER__GRACE",
            "soon",
            "server.grace cannot be `soon`: `soon` is not a duration",
        ),
        ("CARDROOM_TABLES__5__HANDS", "1", "tables[5].hands cannot be `1`: the list has no entry"),
        ("CARDROOM_SERVER__BIND__X", "1", "server.bind.x cannot be `1`: there is nothing inside"),
    ];
    for (name, value, expected) in cases {
        let said = run("", "config check", &[(name, value)]).code(3).stderr;
        assert!(
            said.starts_with(&format!("error: environment variable {name}: {expected}")),
            "{said}"
        );
    }
}

#[test]
fn variables_that_set_nothing_are_refused() {
    let cases = [
        ("CARDROOM_SERVER_BIND", " (did you mean `CARDROOM_SERVER__BIND`?)"),
        ("CARDROOM_TABLES_0_HANDS", " (did you mean `CARDROOM_TABLES__0__HANDS`?)"),
        ("CARDROOM_SOMETHING_ELSE_ALTOGETHER", ""),
    ];
    for (name, hint) in cases {
        let said = run("", "config check", &[(name, "1")]).code(3).stderr;
        let expected = format!("error: environment variable {name} sets nothing{hint}: ");
        assert!(said.starts_with(&expected), "{said}");
    }
    // These are ours, too.
    let file = [("CARDROOM_CONFIG", "cardroom.toml"), ("CARDROOM_TABLES", "[]")];
    let said = run("[server]\ngrace = \"1s\"\n", "config check", &file).stdout;
    assert!(said.starts_with("cardroom.toml: 0 tables"), "{said}");
}

#[test]
fn a_closed_pipe_is_no_error_and_a_full_disk_is_one() {
    for arguments in ["config show", "config check", "systemd"] {
        let folder = Folder::new();
        let code =
            |out: std::process::Stdio| program::run(folder.command(arguments).stdout(out)).status;
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        assert_eq!(code(writer.into()), Some(0), "{arguments:?}");
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
        assert_eq!(code(full.into()), Some(3), "{arguments:?}");
    }
}

#[test]
fn secrets_are_not_shown() {
    let config = "[agents.mine]\nkind = \"call\"\napi_token = \"hunter2\"\n";
    let shown = run(config, "config show", &[]).stdout;
    assert!(shown.contains("agents.mine.api_token"), "{shown}");
    assert!(!shown.contains("hunter2"), "{shown}");
    // Accounts in addresses, wherever they stand.
    let config = "[queue]\nnats = \"nats://ann:hunter2@127.0.0.1:4222,tls://hunter2@b\"\n\
                  [agents.mine]\nkind = \"call\"\nserver = \"ann:hunter2@c:1\"\n";
    for form in ["config show", "config show --json"] {
        let shown =
            run(config, form, &[("CARDROOM_AGENTS__MINE__PROXY", "http://hunter2@d")]).stdout;
        shows(&shown, &["nats://…@127.0.0.1:4222,tls://…@b", "…@c:1", "http://…@d"]);
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    let variable = [("CARDROOM_SERVER__BIND", "nats://ann:hunter2@127.0.0.1")];
    let said = run("", "config check", &variable).stderr;
    assert!(said.contains("server.bind") && !said.contains("hunter2"), "{said}");
}

#[test]
fn relative_paths_start_from_the_folder_of_the_file() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.join("home")).expect("a folder");
    let file = "[server]\ndata = \"records\"\n[server.login]\npassword_file = \"pass\"\n\
                token_file = \"token\"\n[queue]\ncreds = \"nats.creds\"\nca = \"../ca.pem\"\n";
    folder.write("home/c.toml", file);
    let show = |variables: &[(&str, &str)]| -> serde_json::Value {
        let mut command = folder.command("config show --json --config home/c.toml");
        program::run(command.envs(variables.iter().copied())).json()["values"].clone()
    };
    let shown = show(&[]);
    for (key, path) in [
        ("server.data", "home/records"),
        ("server.login.password_file", "home/pass"),
        ("server.login.token_file", "home/token"),
        ("queue.creds", "home/nats.creds"),
        ("queue.ca", "home/../ca.pem"),
    ] {
        assert_eq!(shown[key]["value"], format!("\"{path}\""), "{key}");
    }
    // Those of variables start from the current folder.
    assert_eq!(show(&[("CARDROOM_QUEUE__CREDS", "x")])["queue.creds"]["value"], "\"x\"");
    // So do the files of agents that are named where an agent may be.
    let list = "[river]\nrule: anything -> call\n";
    folder.write("home/my.rules", list);
    let seat = "[[tables]]\nname = \"t\"\ngame = \"holdem.nolimit.2p.reverse_blinds\"\n\
                seats = [{ agent = \"fft:model=none.fft\" }, { port = 0 }]\n";
    folder.write("home/c.toml", seat);
    folder.run("config check --config home/c.toml").says(&["home/none.fft"]);
}

#[test]
fn an_address_that_is_used_twice_is_found_however_many_others_have_its_port() {
    let table = |name: &str, bind: &str, port: u16| {
        format!(
            "[[tables]]\nname = \"{name}\"\ngame = \"kuhn.limit.2p\"\nbind = \"{bind}\"\n\
             seats = [{{ agent = \"call\" }}, {{ port = {port} }}]\n"
        )
    };
    let check = |web: &str, tables: &[(&str, u16)]| {
        let mut config = format!("[server]\nbind = \"{web}\"\n");
        for (i, (bind, port)) in tables.iter().enumerate() {
            config += &table(&format!("t{i}"), bind, *port);
        }
        let run = run(&config, "config check", &[]);
        assert_eq!(run.status == Some(0), run.stderr.is_empty(), "{run:?}");
        run.stderr
    };
    let (one, two, three) = ("127.0.0.1", "127.0.0.2", "127.0.0.3");
    for good in [
        &[(one, 7000), (two, 7000), (three, 7000)][..],
        &[(one, 7000), ("::1", 7000)],
        &[(one, 0), (one, 0), ("0.0.0.0", 0)],
    ] {
        assert_eq!(check("127.0.0.1:1", good), "");
    }
    for (web, bad, other) in [
        ("127.0.0.1:1", &[(one, 7000), (two, 7000), (one, 7000)][..], "tables[0].seats[1].port"),
        ("127.0.0.1:1", &[(one, 7000), (two, 7000), ("0.0.0.0", 7000)], "tables[0].seats[1].port"),
        ("127.0.0.1:1", &[("0.0.0.0", 7000), (two, 7000)], "tables[0].seats[1].port"),
        ("127.0.0.1:1", &[("::", 7000), (two, 7000)], "tables[0].seats[1].port"),
        ("127.0.0.1:1", &[(one, 7000), ("::ffff:127.0.0.1", 7000)], "tables[0].seats[1].port"),
        ("127.0.0.2:7000", &[(one, 7000), (two, 7000)], "server.bind"),
    ] {
        let last = format!("tables[{}].seats[1].port: ", bad.len() - 1);
        let said = check(web, bad);
        assert!(said.contains(&last) && said.contains("7000 is used twice"), "{said}");
        assert!(said.contains(&format!("`{other}`")), "{said}");
    }
}

#[test]
fn every_command_reads_the_file_that_the_variable_names() {
    let folder = Folder::new();
    let file = "[server]\ndata = \"records\"\n[agents.mine]\nkind = \"call\"\n";
    folder.write("my.toml", file);
    let run = |words: &str, named: &str| {
        let run = program::run(folder.command(words).env("CARDROOM_CONFIG", named));
        (run.status, run.stdout + &run.stderr)
    };
    for arguments in [
        "agents list",
        "agents describe mine",
        "config show",
        "doctor",
        "match mine call --hands 20 --quiet",
        "evaluate match mine --against call --hands 20 --quiet",
    ] {
        let (code, said) = run(arguments, "my.toml");
        assert_eq!(code, Some(0), "{arguments:?}: {said}");
        let shown = said.contains("mine") || said.contains("my.toml");
        assert!(shown, "{arguments:?}: {said}");
        // An option is nearer than a variable, and no variable is as an empty one.
        let (code, said) = run(&format!("{arguments} --config my.toml"), "none.toml");
        assert_eq!(code, Some(0), "{arguments:?}: {said}");
        let (code, said) = run(arguments, "none.toml");
        let missing = if arguments == "doctor" { 5 } else { 3 };
        assert_eq!(code, Some(missing), "{arguments:?}: {said}");
        assert!(said.contains("none.toml"), "{arguments:?}: {said}");
    }
    assert!(folder.join("records/matches").is_dir());
    assert!(run("agents list", "").1.contains("equity"));
    // A long solve keeps its place in the data folder.
    let solve = "solve subgame --board Td9d6hQc --pot 100 --stack 1000 --ranges random random \
                 --iterations 1";
    let (code, said) = run(solve, "none.toml");
    assert!(code == Some(3) && said.contains("none.toml"), "{said}");
    // What the server would refuse is a mistake for doctor, too.
    let bad = "[slumbot]\nagent = \"mie\"\n[agents.mine]\nkind = \"call\"\n";
    folder.write("bad.toml", bad);
    let (code, said) = run("doctor", "bad.toml");
    assert!(code == Some(5) && said.contains("slumbot.agent"), "{said}");
}

#[test]
fn a_port_in_use_is_said_in_one_line_with_exit_code_3() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("bound").to_string();
    let port = taken.local_addr().expect("bound").port();
    let table = format!(
        "[[tables]]\nname = \"t\"\ngame = \"kuhn.limit.2p\"\n\
         seats = [{{ agent = \"call\" }}, {{ port = {port} }}]\n"
    );
    for (config, arguments) in [
        ("", format!("serve --log off --bind {address}")),
        (table.as_str(), "serve --log off --bind 127.0.0.1:0".to_owned()),
    ] {
        let expected = format!("cannot listen on {address}");
        run(config, &arguments, &[]).says_only(3, &[&expected]);
    }
}
