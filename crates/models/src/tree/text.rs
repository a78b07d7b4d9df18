//! The text form of trees: `oppbet>12,700 ? (winrate>0.48 ? raise : fold) : call`.
//!
//! ```text
//! tree   = branch | leaf | "(" tree ")"
//! branch = looks ( ">" | ">=" | "<" | "<=" ) number "?" tree ":" tree
//! looks  = name | number "*" name { "+" number "*" name }
//! leaf   = ( name | "{" name number "%" { "," name number "%" } "}" ) [ "#" rows ] [ "@" weight ]
//! ```
//!
//! Numbers may have commas between thousands. A name is bare if it consists of letters, digits and
//! `_-./`, else in double quotes, with a backslash before `"` and `\`. The printer writes `>` or
//! `>=`, whichever gives the shorter number, so that the first alternative is the right side, and
//! puts branches inside branches in parentheses. `#` gives a leaf's number of rows, and `@` their
//! weight where it differs; without them both are zero.

use std::fmt::Write;

use show::number::grouped;

use super::{Builder, Node, Plane, SplitTest, Tree, TreeError, UNITS};

// Maximum nesting of parentheses and branches: more than a tree can have.
const MAX_NESTED: usize = 4 * super::DEEPEST;

impl Tree {
    /// The tree as one line of text, which [`Tree::parse`] parses to the same tree.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(0, &mut out);
        out
    }

    /// A branch's test as text: the condition for a row to go right, such as `winrate>0.48`. Empty
    /// for a leaf.
    pub fn test_text(&self, number: usize) -> String {
        let mut out = String::new();
        if let Node::Branch { test, below, .. } = self.node(number) {
            match test {
                SplitTest::Column(column) => write_name(&self.columns[column], &mut out),
                SplitTest::Plane(plane) => self.write_plane(plane, &mut out),
            }
            write_bound(below, &mut out);
        }
        out
    }

    /// Parses a tree's text, with these columns and classes. Errors name the character.
    pub fn parse(text: &str, columns: &[String], classes: &[String]) -> Result<Tree, TreeError> {
        let mut parser = Parser { text, at: 0, columns, classes };
        let tree = parser.tree(0)?;
        parser.space();
        if parser.at < text.len() {
            return Err(parser.error("the tree is over before this"));
        }
        let mut builder = Builder::new(columns, classes)?;
        tree.build(&mut builder)?;
        builder.finish()
    }

    fn write(&self, number: usize, out: &mut String) {
        match self.node(number) {
            Node::Branch { left, right, .. } => {
                out.push_str(&self.test_text(number));
                for (mark, child) in [(" ? ", right), (" : ", left)] {
                    out.push_str(mark);
                    let nested = matches!(self.node(child), Node::Branch { .. });
                    out.push_str(if nested { "(" } else { "" });
                    self.write(child, out);
                    out.push_str(if nested { ")" } else { "" });
                }
            }
            Node::Leaf { shares, weight, rows } => {
                self.write_shares(shares, out);
                if rows > 0 {
                    let _ = write!(out, "#{rows}");
                }
                if weight != rows as f32 {
                    let _ = write!(out, "@{weight}");
                }
            }
        }
    }

    fn write_shares(&self, shares: &[f32], out: &mut String) {
        if let Some(class) = shares.iter().position(|&share| share == 1.0) {
            return write_name(&self.classes[class], out);
        }
        let mut before = "{";
        for (name, share) in self.classes.iter().zip(shares) {
            let units = (share * UNITS as f32).round() as u32;
            if units > 0 {
                out.push_str(before);
                write_name(name, out);
                let _ = write!(out, " {}%", f64::from(units) / (f64::from(UNITS) / 100.0));
                before = ", ";
            }
        }
        out.push('}');
    }

    fn write_plane(&self, plane: &Plane, out: &mut String) {
        let mut before = "";
        for &(column, factor) in &plane.factors {
            let _ = write!(out, "{before}{factor}*");
            write_name(&self.columns[column], out);
            before = " + ";
        }
    }
}

// `> x` for the number just below the bound is the same as `>=` the bound: the shorter is written.
fn write_bound(below: f32, out: &mut String) {
    let under = below.next_down();
    let (exact, above) = (below.to_string(), under.to_string());
    let shorter = under.is_finite() && above.len() < exact.len();
    out.push_str(if shorter { ">" } else { ">=" });
    out.push_str(&grouped(if shorter { &above } else { &exact }));
}

fn is_name_letter(letter: char) -> bool {
    letter.is_alphanumeric() || "_-./".contains(letter)
}

fn write_name(name: &str, out: &mut String) {
    if name.chars().all(is_name_letter) {
        out.push_str(name);
        return;
    }
    out.push('"');
    for letter in name.chars() {
        if letter == '"' || letter == '\\' {
            out.push('\\');
        }
        out.push(letter);
    }
    out.push('"');
}

enum Parsed {
    Branch { factors: Factors, below: f32, sides: Box<[Parsed; 2]> },
    Leaf { units: Vec<u32>, weight: f32, rows: u32 },
}

enum Factors {
    One(usize),
    Sum(Vec<(usize, f32)>),
}

impl Parsed {
    fn build(&self, builder: &mut Builder) -> Result<(), TreeError> {
        match self {
            Parsed::Branch { factors, below, sides } => {
                match factors {
                    Factors::One(column) => builder.branch(*column, *below)?,
                    Factors::Sum(factors) => builder.plane(factors, *below)?,
                }
                sides.iter().try_for_each(|side| side.build(builder))
            }
            Parsed::Leaf { units, weight, rows } => builder.leaf_of_units(units, *weight, *rows),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    columns: &'a [String],
    classes: &'a [String],
}

impl<'a> Parser<'a> {
    fn tree(&mut self, nested: usize) -> Result<Parsed, TreeError> {
        if nested > MAX_NESTED {
            return Err(self.error("too many branches inside each other"));
        }
        if self.consume("(") {
            let tree = self.tree(nested + 1)?;
            self.expect(")")?;
            return Ok(tree);
        }
        if self.ahead("{") {
            let units = self.mix()?;
            return self.leaf(units);
        }
        let (start, quoted) = (self.at, self.ahead("\""));
        let name = self.name()?;
        let factors = if !quoted && self.ahead("*") {
            self.at = start;
            self.sum()?
        } else if ["<", ">"].iter().any(|sign| self.ahead(sign)) {
            Factors::One(self.known(&name, self.columns, start)?)
        } else {
            let mut units = vec![0; self.classes.len()];
            units[self.known(&name, self.classes, start)?] = UNITS;
            return self.leaf(units);
        };
        let (below, first_is_left) = self.bound()?;
        self.expect("?")?;
        let first = self.tree(nested + 1)?;
        self.expect(":")?;
        let second = self.tree(nested + 1)?;
        let sides = if first_is_left { [first, second] } else { [second, first] };
        Ok(Parsed::Branch { factors, below, sides: Box::new(sides) })
    }

    fn bound(&mut self) -> Result<(f32, bool), TreeError> {
        let signs = [("<=", true, true), ("<", true, false), (">=", false, false)];
        let (less, next) = signs
            .iter()
            .find(|(sign, ..)| self.consume(sign))
            .map_or((false, true), |&(_, less, next)| (less, next));
        if !less && next {
            self.expect(">")?;
        }
        let number = self.number()?;
        Ok((if next { number.next_up() } else { number }, less))
    }

    fn sum(&mut self) -> Result<Factors, TreeError> {
        let mut factors = Vec::new();
        loop {
            let factor = self.number()?;
            self.expect("*")?;
            self.space();
            let start = self.at;
            let name = self.name()?;
            factors.push((self.known(&name, self.columns, start)?, factor));
            if !self.consume("+") {
                return Ok(Factors::Sum(factors));
            }
        }
    }

    fn mix(&mut self) -> Result<Vec<u32>, TreeError> {
        let start = self.at;
        self.expect("{")?;
        let mut units = vec![0u32; self.classes.len()];
        loop {
            self.space();
            let at = self.at;
            let name = self.name()?;
            let class = self.known(&name, self.classes, at)?;
            let share = f64::from(self.number()?) * f64::from(UNITS) / 100.0;
            self.expect("%")?;
            if !(0.0..=f64::from(UNITS)).contains(&share) {
                return Err(self.error_at(at, "a share is between 0% and 100%".into()));
            }
            units[class] = units[class].saturating_add(share.round() as u32);
            if !self.consume(",") {
                break;
            }
        }
        self.expect("}")?;
        if units.iter().map(|&unit| u64::from(unit)).sum::<u64>() != u64::from(UNITS) {
            return Err(self.error_at(start, "the shares of a leaf sum to 100%".into()));
        }
        Ok(units)
    }

    fn leaf(&mut self, units: Vec<u32>) -> Result<Parsed, TreeError> {
        let rows = if self.consume("#") { self.whole()? } else { 0 };
        let weight = if self.consume("@") { self.number()? } else { rows as f32 };
        Ok(Parsed::Leaf { units, weight, rows })
    }

    fn whole(&mut self) -> Result<u32, TreeError> {
        let start = self.at;
        let text = self.run(|letter| letter.is_ascii_digit() || letter == ',').replace(',', "");
        text.parse().map_err(|_| self.error_at(start, format!("`{text}` is not a number of rows")))
    }

    fn number(&mut self) -> Result<f32, TreeError> {
        self.space();
        let start = self.at;
        let text = self.run(|letter| letter.is_ascii_alphanumeric() || "+-.,".contains(letter));
        // A comma is part of the number only between digits.
        let used = text.trim_end_matches(',');
        self.at = start + used.len();
        let number = used.replace(',', "").parse().ok().filter(|number: &f32| number.is_finite());
        number.ok_or_else(|| self.error_at(start, format!("`{used}` is not a number")))
    }

    fn name(&mut self) -> Result<String, TreeError> {
        self.space();
        if !self.consume("\"") {
            let name = self.run(is_name_letter).to_string();
            return if name.is_empty() { Err(self.error("a name is missing")) } else { Ok(name) };
        }
        let mut name = String::new();
        let mut letters = self.text[self.at..].char_indices();
        while let Some((index, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.at += index + 1;
                    return Ok(name);
                }
                '\\' => name.extend(letters.next().map(|(_, letter)| letter)),
                _ => name.push(letter),
            }
        }
        Err(self.error("the name's second quotation mark is missing"))
    }

    fn known(&self, name: &str, names: &[String], at: usize) -> Result<usize, TreeError> {
        names
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| self.error_at(at, format!("`{name}` is none of {}", names.join(", "))))
    }

    fn run(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let text: &'a str = self.text;
        let rest = &text[self.at..];
        let length = rest.find(|letter| !belongs(letter)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn space(&mut self) {
        self.run(char::is_whitespace);
    }

    fn ahead(&mut self, mark: &str) -> bool {
        self.space();
        self.text[self.at..].starts_with(mark)
    }

    fn consume(&mut self, mark: &str) -> bool {
        let there = self.ahead(mark);
        self.at += if there { mark.len() } else { 0 };
        there
    }

    fn expect(&mut self, mark: &str) -> Result<(), TreeError> {
        if self.consume(mark) { Ok(()) } else { Err(self.error(&format!("`{mark}` is missing"))) }
    }

    fn error(&self, what: &str) -> TreeError {
        self.error_at(self.at, what.to_string())
    }

    fn error_at(&self, at: usize, what: String) -> TreeError {
        TreeError::Text { at: self.text[..at].chars().count(), what }
    }
}
