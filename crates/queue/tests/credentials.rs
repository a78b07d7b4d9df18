//! Credentials as an operator of NATS hands them out: JSON web tokens of a user, signed by the
//! user's account, which an operator has signed.

use std::fs;
use std::path::Path;

use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use queue::{Queue, Server};
use serde_json::{Value, json};

use crate::server::Nats;

/// A token that `issuer` signs for `subject`: what `nsc` makes.
fn token(issuer: &KeyPair, subject: &KeyPair, name: &str, expires: i64, nats: &Value) -> String {
    let claims = json!({
        "jti": name, "iat": 1_700_000_000, "exp": expires, "iss": issuer.public_key(),
        "name": name, "sub": subject.public_key(), "nats": nats,
    });
    let header = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let parts = [header, claims].map(|part| BASE64URL_NOPAD.encode(part.to_string().as_bytes()));
    let signed = parts.join(".");
    let signature = issuer.sign(signed.as_bytes()).expect("a key that signs");
    format!("{signed}.{}", BASE64URL_NOPAD.encode(&signature))
}

/// A file of credentials in the form of `nsc`.
fn credentials(folder: &Path, name: &str, token: &str, user: &KeyPair) -> Server {
    let seed = user.seed().expect("a key with its seed");
    let text = format!(
        "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    );
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    Server { credentials: Some(path), ..Server::default() }
}

#[test]
fn a_user_gets_in_by_a_token_of_its_account_and_nobody_else_does() {
    const NEVER: i64 = 0;
    let folder = tempfile::tempdir().expect("a folder");
    let (operator, system, account) =
        (KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_account());
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true,
        "conn": -1, "leaf": -1, "mem_storage": -1, "disk_storage": -1, "streams": -1,
        "consumer": -1,
    });
    let of_account = json!({ "type": "account", "version": 2, "limits": limits });
    let of_system = json!({ "type": "account", "version": 2, "limits": {
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true,
        "conn": -1, "leaf": -1,
    } });
    let of_operator =
        json!({ "type": "operator", "version": 2, "system_account": system.public_key() });
    let of_user = json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 });
    let config = format!(
        "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{\n  {}: {}\n  {}: \
         {}\n}}\n",
        token(&operator, &operator, "cards", NEVER, &of_operator),
        system.public_key(),
        system.public_key(),
        token(&operator, &system, "system", NEVER, &of_system),
        account.public_key(),
        token(&operator, &account, "room", NEVER, &of_account),
    );
    let Some(nats) = Nats::start(folder.path(), None, &config) else { return };
    let connect = |server: Server| {
        let url = nats.server().url;
        Queue::connect(&Server { url, ..server })
    };
    let user = KeyPair::new_user();
    let good = token(&account, &user, "ann", NEVER, &of_user);
    let queue = connect(credentials(folder.path(), "ann.creds", &good, &user)).expect("let in");
    assert_eq!(queue.runs().expect("runs").len(), 0);

    let stranger = KeyPair::new_account();
    let strange = token(&stranger, &user, "ann", NEVER, &of_user);
    let late = token(&account, &user, "ann", 1_700_000_060, &of_user);
    let thief = KeyPair::new_user();
    for (name, token, user) in [
        ("strange.creds", strange, &user),
        ("late.creds", late, &user),
        ("stolen.creds", good, &thief),
    ] {
        let refused = connect(credentials(folder.path(), name, &token, user));
        let refused = refused.err().unwrap_or_else(|| panic!("{name} is refused"));
        assert!(!refused.is_passing(), "{name}: {refused}");
        assert!(refused.to_string().contains("--nats-creds"), "{refused}");
    }
    let none = connect(Server::default()).err().expect("refused without any");
    assert!(none.to_string().contains("refuses the connection"), "{none}");
}
