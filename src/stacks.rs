//! Stacks on the command line: `10`, `5..20`, or a comma-separated list of these.

use std::str::FromStr;

use crate::exit::Failure;

/// Distinct stacks in big blinds, in increasing order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stacks(Vec<f64>);

/// The most stacks that may be given.
const MAX_STACKS: usize = 1000;

impl Stacks {
    /// The stacks, checked.
    ///
    /// # Errors
    /// When one is below 1 or not a number.
    pub(crate) fn checked(&self) -> Result<&[f64], Failure> {
        match self.0.iter().find(|stack| !stack.is_finite() || **stack < 1.0) {
            Some(stack) => {
                Err(Failure::input(anyhow::anyhow!("--stack: {stack} big blinds; give 1 or more")))
            }
            None => Ok(&self.0),
        }
    }
}

impl FromStr for Stacks {
    type Err = String;

    fn from_str(text: &str) -> Result<Stacks, String> {
        let wrong = || {
            format!(
                "write stacks in big blinds from 1 on, at most {MAX_STACKS}, \
                 as in 10, 5..20 or 2.5,7"
            )
        };
        let one = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        let mut stacks = Vec::new();
        for part in text.split(',') {
            match part.split_once("..") {
                None => stacks.push(one(part)?),
                Some((from, to)) => {
                    let (from, to) = (one(from)?, one(to)?);
                    if !(from..=from + MAX_STACKS as f64).contains(&to) {
                        return Err(wrong());
                    }
                    stacks.extend((0..=(to - from) as usize).map(|more| from + more as f64));
                }
            }
        }
        stacks.sort_by(f64::total_cmp);
        stacks.dedup();
        if stacks.len() > MAX_STACKS { Err(wrong()) } else { Ok(Stacks(stacks)) }
    }
}

#[cfg(test)]
mod tests {
    use super::Stacks;

    #[test]
    fn stacks_are_read_in_order_and_what_is_none_is_refused() {
        let read = |text: &str| text.parse::<Stacks>().map(|Stacks(stacks)| stacks);
        assert_eq!(read("7,5..6.5,2.5, 7"), Ok(vec![2.5, 5.0, 6.0, 7.0]));
        for text in ["", "ten", "9..5", "1..1e9", "5..", "5,,6", "1..nan", "nan..5"] {
            assert!(read(text).is_err(), "{text}");
        }
        for text in ["0.5", "nan", "inf", "-3", "0..4"] {
            let stacks = text.parse::<Stacks>().expect(text);
            assert!(stacks.checked().is_err(), "{text}");
        }
    }
}
