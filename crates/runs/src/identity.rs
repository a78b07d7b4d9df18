//! What identifies a run: a value whose fields are compared as they are serialized.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// A difference between two values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The name of the field, such as `game's blinds`.
    pub what: String,
    /// The first value.
    pub ours: String,
    /// The second value.
    pub theirs: String,
}

impl Difference {
    /// A difference whose values, such as hashes, tell a reader nothing: they are empty.
    pub fn changed(what: String) -> Difference {
        Difference { what, ours: String::new(), theirs: String::new() }
    }
}

impl fmt::Display for Difference {
    /// `the seed is 1 in one and 2 in the other`, or `bot.py changed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { what, ours, theirs } = self;
        if ours.is_empty() && theirs.is_empty() {
            return write!(f, "{what} changed");
        }
        let article = if ["yes", "no"].contains(&ours.as_str()) { "" } else { "the " };
        // The number of hands is one number.
        let head = what.split(" of ").next().unwrap_or(what);
        let verb = if head.ends_with('s') { "are" } else { "is" };
        write!(f, "{article}{what} {verb} {ours} in one and {theirs} in the other")
    }
}

/// The first difference between two values, field by field as they are serialized; `None` where
/// there is none.
///
/// Fields are named by their path, as in `game.blinds`; the elements of a list of structures share
/// one. Those in `ignored` may differ. Those in `named` have a name of their own and come first, in
/// this order; all others have one made of their path, and come in the order of the type.
pub fn difference<T: Serialize>(
    ours: &T,
    theirs: &T,
    ignored: &[&str],
    named: &[(&str, &str)],
) -> Option<Difference> {
    let mut found = Vec::new();
    compare("", &[tree(ours)], &[tree(theirs)], ignored, &mut found);
    let rank = |(path, _): &(String, [String; 2])| named.iter().position(|(one, _)| one == path);
    let first = found.iter().min_by_key(|one| rank(one).unwrap_or(named.len()))?;
    let (path, [ours, theirs]) = first;
    let what = match rank(first) {
        Some(at) => named[at].1.to_owned(),
        None => {
            let words = path.replace('_', " ");
            let (of, last) = words.rsplit_once('.').unwrap_or(("", &words));
            let of = of.split('.').next().filter(|of| !of.is_empty());
            of.map_or_else(|| last.to_owned(), |of| format!("{of}'s {last}"))
        }
    };
    Some(Difference { what, ours: ours.clone(), theirs: theirs.clone() })
}

/// Compares the values of a field: one value, or one for each element of a list above it.
fn compare(
    path: &str,
    ours: &[Tree],
    theirs: &[Tree],
    ignored: &[&str],
    found: &mut Vec<(String, [String; 2])>,
) {
    if ours == theirs || ignored.contains(&path) {
        return;
    }
    if let ([Tree::List(ours)], [Tree::List(theirs)]) = (ours, theirs)
        && ours.iter().chain(theirs).any(|one| matches!(one, Tree::Map(_)))
    {
        return compare(path, ours, theirs, ignored, found);
    }
    let all = || ours.iter().chain(theirs);
    if !all().all(|one| matches!(one, Tree::Map(_) | Tree::None)) || all().next().is_none() {
        let list = |of: &[Tree]| of.iter().map(Tree::to_string).collect::<Vec<_>>().join(", ");
        return found.push((path.to_owned(), [list(ours), list(theirs)]));
    }
    let mut fields: Vec<&String> = Vec::new();
    for (field, _) in all().flat_map(Tree::fields) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    let before = found.len();
    for field in fields {
        let of = |all: &[Tree]| all.iter().map(|one| one.field(field)).collect::<Vec<_>>();
        let path = if path.is_empty() { field.clone() } else { format!("{path}.{field}") };
        compare(&path, &of(ours), &of(theirs), ignored, found);
    }
    // Such as a list with an element more.
    if found.len() == before && ours.len() != theirs.len() {
        found.push((path.to_owned(), [ours.len().to_string(), theirs.len().to_string()]));
    }
}

/// A serialized value, with the fields of structures in their order.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
enum Tree {
    None,
    Bool(bool),
    Whole(u64),
    Signed(i64),
    Number(f64),
    Text(String),
    List(Vec<Tree>),
    #[serde(deserialize_with = "fields")]
    Map(Vec<(String, Tree)>),
}

/// The fields of a structure.
fn fields<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, Tree)>, D::Error> {
    struct Fields;
    impl<'de> Visitor<'de> for Fields {
        type Value = Vec<(String, Tree)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("fields")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            std::iter::from_fn(|| map.next_entry().transpose()).collect()
        }
    }
    from.deserialize_map(Fields)
}

fn tree(value: &impl Serialize) -> Tree {
    let text = serde_json::to_string(value).expect("descriptions have texts as keys");
    serde_json::from_str(&text).expect("it was just written")
}

impl Tree {
    fn fields(&self) -> &[(String, Tree)] {
        if let Tree::Map(fields) = self { fields } else { &[] }
    }

    fn field(&self, name: &str) -> Tree {
        let field = self.fields().iter().find(|(field, _)| field == name);
        field.map_or(Tree::None, |(_, value)| value.clone())
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Bool(yes) => f.write_str(if *yes { "yes" } else { "no" }),
            Tree::Whole(number) => write!(f, "{number}"),
            Tree::Signed(number) => write!(f, "{number}"),
            Tree::Number(number) => write!(f, "{number}"),
            Tree::Text(text) => f.write_str(&text.trim_end().replace('\n', "; ")),
            Tree::List(list) if !list.is_empty() => {
                let list: Vec<String> = list.iter().map(Tree::to_string).collect();
                f.write_str(&list.join(" "))
            }
            Tree::None | Tree::List(_) => f.write_str("none"),
            Tree::Map(fields) => {
                let fields = fields.iter().map(|(field, value)| format!("{field} {value}"));
                f.write_str(&fields.collect::<Vec<_>>().join(" "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::difference;

    #[derive(Clone, Serialize)]
    struct Run {
        seed: u64,
        provenance: Provenance,
        players: Vec<Player>,
        blinds: Vec<u32>,
        part: Option<Part>,
        quick: bool,
        menu: String,
    }

    #[derive(Clone, Serialize)]
    struct Provenance {
        version: String,
        time: String,
    }

    #[derive(Clone, Serialize)]
    struct Player {
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    }

    #[derive(Clone, Serialize)]
    struct Part {
        index: u32,
    }

    fn run() -> Run {
        let player = |name: &str| Player { name: name.to_owned(), model: None };
        Run {
            seed: 1,
            provenance: Provenance { version: "1.0".into(), time: "noon".into() },
            players: vec![player("ann"), player("bob")],
            blinds: vec![50, 100],
            part: None,
            quick: false,
            menu: "a\nb\n".into(),
        }
    }

    #[test]
    fn every_field_that_differs_is_named_with_both_values() {
        let check = |change: fn(&mut Run), expected: &str| {
            let mut other = run();
            change(&mut other);
            let named = [("players.name", "players"), ("seed", "seed")];
            let found = difference(&run(), &other, &["provenance.time"], &named);
            assert_eq!(found.map_or_else(String::new, |found| found.to_string()), expected);
        };
        check(|_| {}, "");
        check(|run| run.provenance.time = "night".into(), "");
        check(|run| run.seed = 2, "the seed is 1 in one and 2 in the other");
        check(
            |run| run.provenance.version = "2.0".into(),
            "the provenance's version is 1.0 in one and 2.0 in the other",
        );
        check(|run| run.blinds[0] = 25, "the blinds are 50 100 in one and 25 100 in the other");
        check(|run| run.blinds.clear(), "the blinds are 50 100 in one and none in the other");
        check(|run| run.quick = true, "quick is no in one and yes in the other");
        check(|run| run.menu.push('c'), "the menu is a; b in one and a; b; c in the other");
        check(
            |run| run.part = Some(Part { index: 3 }),
            "the part's index is none in one and 3 in the other",
        );
        check(
            |run| run.players[1].model = Some("m".into()),
            "the players's model is none, none in one and none, m in the other",
        );
        check(
            |run| drop(run.players.pop()),
            "the players are ann, bob in one and ann in the other",
        );
        // Those with names of their own come first, in their order; the rest as the type has them.
        let all = |run: &mut Run| {
            (run.seed, run.quick) = (2, true);
            run.players[0].name = "cy".into();
        };
        check(all, "the players are ann, bob in one and cy, bob in the other");
    }
}
