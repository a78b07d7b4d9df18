//! The JSON API and its description: every path is described, every answer is as described, those
//! that say what is wrong included.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::server::{Bot, Server, game};
use super::slumbot::{Answer, raw, request};
use crate::program::{Folder, string};
use crate::sources::{rust_files, without_comments};

/// Asks and reads the answer.
pub(super) fn ask(server: &Server, method: &str, path: &str, kind: &str, body: &str) -> Answer {
    raw(server, &request(method, path, kind, body)).expect("an answer")
}

/// The description of the API.
pub(super) struct Description(Value);

impl Description {
    /// The description as the server gives it.
    pub(super) fn fetch(server: &Server) -> Description {
        Description(server.json("/api/v1/openapi.json"))
    }

    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => self.0.pointer(&reference[1..]).expect("what is referred to"),
            None => value,
        }
    }

    /// Fails unless the answer to this request is described, and as it is described.
    pub(super) fn check(&self, method: &str, path: &str, answer: &Answer) {
        let what = format!("{method} {path}: {} {}", answer.code, answer.body);
        let (_, operations) = self.path(path).unwrap_or_else(|| panic!("{what}: no such path"));
        let operation = match &operations[method.to_lowercase()] {
            // What a path does not take is answered as its other requests are.
            Value::Null => operations.as_object().expect("operations").values().next(),
            operation => Some(operation),
        };
        let responses = &operation.expect("an operation")["responses"];
        let response = self.resolve(&responses[answer.code.to_string()]);
        let schema = &response["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{what}: not described");
        assert!(answer.head.contains("content-type: application/json"), "{what}: {}", answer.head);
        let body = answer.json();
        if let Err(wrong) = self.validate(schema, &body) {
            panic!("{what}\n{wrong}");
        }
    }

    /// Whether a value is as this schema, which may refer to others of the description, says.
    pub(super) fn validate(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let mut schema = schema.clone();
        schema["components"] = self.0["components"].clone();
        let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
        compiler.add_resource("answer.json", schema).expect("a name");
        let schema = compiler.compile("answer.json", &mut schemas).expect("a schema");
        schemas.validate(value, schema).map_err(|wrong| format!("{wrong:#}"))
    }

    /// The described path that this one is.
    fn path(&self, path: &str) -> Option<(&String, &Value)> {
        let path = path.split('?').next().expect("a path");
        let same = |described: &str| {
            let parts = (path.split('/'), described.split('/'));
            parts.0.clone().count() == parts.1.clone().count()
                && parts.0.zip(parts.1).all(|(part, is)| is.starts_with('{') || is == part)
        };
        let paths = self.0["paths"].as_object().expect("paths");
        paths.iter().find(|(described, _)| same(described))
    }
}

#[test]
fn every_route_of_the_api_is_described_and_every_described_path_is_a_route() {
    let server = Server::start("tables = []\n");
    let description = Description::fetch(&server);
    assert_eq!(description.0["openapi"], "3.1.0");
    let described: BTreeSet<String> =
        description.0["paths"].as_object().expect("paths").keys().cloned().collect();
    let mut routes = BTreeSet::new();
    for file in rust_files().iter().filter(|file| file.name.starts_with("src/web/")) {
        let code = without_comments(&file.text());
        let code = code.split("#[cfg(test)]").next().expect("a beginning");
        let texts = code.split('"').skip(1).step_by(2);
        let is_path = |text: &&str| {
            text.starts_with("/api/v1/") && text.len() > "/api/v1/".len() && !text.contains(' ')
        };
        routes.extend(texts.filter(is_path).map(str::to_owned));
    }
    assert_eq!(routes, described);
    // Every schema can be used, and is.
    let text = description.0.to_string();
    for name in description.0["components"]["schemas"].as_object().expect("schemas").keys() {
        let reference = format!("#/components/schemas/{name}");
        assert!(text.contains(&reference), "nothing refers to {name}");
        let described = description.validate(&json!({ "$ref": reference }), &Value::Null);
        assert!(described.is_err(), "{name} takes anything");
    }
}

#[test]
fn answers_are_as_described() {
    let folder = Folder::with_config(
        "[[tables]]\nname = \"kuhn\"\ngame = \"kuhn.limit.2p\"\nhands = 40\n\
         seats = [{ agent = \"call\" }, { port = 0 }]\n\
         [[dealers]]\nname = \"nobody\"\nhost = \"127.0.0.1\"\nport = 1\n\
         game = \"kuhn.limit.2p\"\nagent = \"call\"\n",
    );
    folder.run("match call random --hands 20").code(0);
    let server = Server::start_in(folder);
    let mut bot = Bot::sit(server.ports[0], &game("kuhn.limit.2p"));
    bot.play(u32::MAX);
    server.wait_for_matches(1);
    // A second match goes on while we look.
    let mut bot = Bot::sit(server.ports[0], &game("kuhn.limit.2p"));
    bot.play(10);
    server.wait_for("a match under way", |table| table["playing"]["hands"].as_u64() > Some(4));
    let matches = server.json("/api/v1/matches");
    let mut ids: Vec<&str> =
        matches.as_array().expect("a list").iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(ids.len(), 2, "{matches}");
    let tables = server.json("/api/v1/tables");
    ids.extend(tables[0]["playing"]["id"].as_str());
    let mut paths: Vec<String> = ids.iter().map(|id| format!("/api/v1/matches/{id}")).collect();
    for path in "overview tables dealers agents slumbot matches?limit=1 runs scrimmage".split(' ') {
        paths.push(format!("/api/v1/{path}"));
    }
    paths.push("/api/v1/openapi.json".to_owned());
    let description = Description::fetch(&server);
    for path in &paths {
        let answer = ask(&server, "GET", path, "text/plain", "");
        assert_eq!(answer.code, 200, "{path}: {}", answer.body);
        description.check("GET", path, &answer);
    }
    // What is wrong, too.
    let large = " ".repeat(100_000);
    for (method, path, kind, body, code) in [
        ("GET", "/api/v1/matches/none", "text/plain", "", 404),
        ("GET", "/api/v1/matches?limit=x", "text/plain", "", 400),
        ("PUT", "/api/v1/tables", "text/plain", "", 405),
        ("DELETE", "/api/v1/matches/none", "text/plain", "", 405),
        ("GET", "/api/v1/decide", "text/plain", "", 405),
        ("POST", "/api/v1/decide", "text/plain", "{}", 415),
        ("POST", "/api/v1/decide", "application/json", "{", 400),
        ("POST", "/api/v1/decide", "application/json", &large, 413),
    ] {
        let answer = ask(&server, method, path, kind, body);
        assert_eq!(answer.code, code, "{method} {path}: {}", answer.body);
        description.check(method, path, &answer);
    }
    let post = ask(&server, "GET", "/api/v1/decide", "text/plain", "").json();
    assert_eq!(post["remedy"], "use POST");
    let elsewhere =
        "GET /api/v1/tables HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    let answer = raw(&server, elsewhere.as_bytes()).expect("an answer");
    assert_eq!(answer.code, 421);
    description.check("GET", "/api/v1/tables", &answer);
}

#[test]
fn unknown_paths_of_the_api_are_json_and_pages_stay_pages() {
    let server = Server::start("tables = []\n[slumbot]\nenabled = false\n");
    for path in ["/api/v1/none", "/api/v1/", "/api/v1", "/api/none", "/api", "/api/new_hand"] {
        let answer = ask(&server, "GET", path, "text/plain", "");
        assert_eq!(answer.code, 404, "{path}");
        let problem = answer.json();
        let error = string(&problem["error"]);
        assert!(error.contains(&format!("`{path}`")), "{error}");
        assert!(problem["remedy"].as_str().is_some_and(|it| it.contains("openapi.json")));
    }
    let page = ask(&server, "GET", "/none", "text/plain", "");
    assert!(page.code == 404 && page.head.contains("text/html"), "{}", page.head);
    assert_eq!(ask(&server, "GET", "/api/v1/slumbot", "text/plain", "").body, "null");
}

#[test]
fn a_login_is_asked_for_in_json_where_the_api_needs_one() {
    let folder = Folder::with_config("tables = []\n[server.login]\ntoken_file = \"token\"\n");
    folder.write_with_mode("token", "secret-token\n", 0o600);
    let server = Server::start_in(folder);
    let with = |line: &str| {
        let request = format!(
            "GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: \
             close\r\n{line}\r\n"
        );
        raw(&server, request.as_bytes()).expect("an answer")
    };
    let description = Description(with("Authorization: Bearer secret-token\r\n").json());
    for (method, path) in [("GET", "/api/v1/agents"), ("POST", "/api/v1/decide")] {
        let answer = ask(&server, method, path, "application/json", "{}");
        assert_eq!(answer.code, 401, "{}", answer.body);
        assert!(answer.head.contains("www-authenticate: bearer"), "{}", answer.head);
        description.check(method, path, &answer);
    }
}
