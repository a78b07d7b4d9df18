//! Explaining a difference between two sums by the hands that may be in it.

/// The most steps of a search; a difference with more explanations than that is not explained
/// hand by hand.
const MAX_STEPS: u32 = 200_000;

/// One way in which a hand, or several that are alike, may be in the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Share {
    /// Number of hands counted.
    pub(super) count: u64,
    /// The least chips, and the most.
    pub(super) chips: [i64; 2],
}

impl Share {
    /// `count` hands with exactly these chips.
    pub(super) fn exactly(count: u64, chips: i64) -> Share {
        Share { count, chips: [chips; 2] }
    }
}

/// What all explanations agree on about one unit; `None` where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Agreed {
    /// The share, as an index.
    pub(super) share: Option<usize>,
    /// Number of hands counted.
    pub(super) count: Option<u64>,
    /// Their chips.
    pub(super) chips: Option<i64>,
}

/// Takes one share of each unit so that together they have `count` hands and can have `chips`;
/// gives what all such choices agree on, and `None` if there is no such choice.
pub(super) fn explain(units: &[Vec<Share>], count: u64, chips: i64) -> Option<Vec<Agreed>> {
    // What the units from each on can add at the most, and their chips at the least.
    let mut reach = vec![(0, [0, 0])];
    for shares in units.iter().rev() {
        let (most, [low, high]) = reach[reach.len() - 1];
        let ends = |end: usize| shares.iter().map(move |share| share.chips[end]);
        let count = shares.iter().map(|share| share.count).max().unwrap_or_default();
        let low = low + ends(0).min().unwrap_or_default();
        reach.push((most + count, [low, high + ends(1).max().unwrap_or_default()]));
    }
    reach.reverse();
    let chosen = Vec::with_capacity(units.len());
    let mut search = Search { units, reach, chosen, agreed: None, steps: 0 };
    search.go(count, [chips; 2]);
    let open = Agreed { share: None, count: None, chips: None };
    if search.steps > MAX_STEPS { Some(vec![open; units.len()]) } else { search.agreed }
}

struct Search<'a> {
    units: &'a [Vec<Share>],
    reach: Vec<(u64, [i64; 2])>,
    chosen: Vec<usize>,
    agreed: Option<Vec<Agreed>>,
    steps: u32,
}

impl Search<'_> {
    /// Goes on with `count` hands left to explain, and chips left: all of them less the most that
    /// was chosen, and less the least.
    fn go(&mut self, count: u64, left: [i64; 2]) {
        let at = self.chosen.len();
        let (most, [low, high]) = self.reach[at];
        self.steps += 1;
        if count > most || left[1] < low || left[0] > high || self.steps > MAX_STEPS {
            return;
        }
        let Some(shares) = self.units.get(at) else {
            if count == 0 {
                self.agree(left);
            }
            return;
        };
        for (index, share) in shares.iter().enumerate().filter(|(_, share)| share.count <= count) {
            self.chosen.push(index);
            let [least, most] = share.chips;
            self.go(count - share.count, [left[0] - most, left[1] - least]);
            self.chosen.pop();
        }
    }

    /// Compares an explanation with those before it. What is left is for the one share that is not
    /// exact, if there is only one.
    fn agree(&mut self, left: [i64; 2]) {
        let shares = self.units.iter().zip(&self.chosen).map(|(shares, &index)| shares[index]);
        let vague = shares.clone().filter(|share| share.chips[0] < share.chips[1]).count();
        let found = shares.zip(&self.chosen).map(|(share, &index)| {
            let [low, high] = share.chips;
            let chips = match (low == high, vague) {
                (true, _) => Some(low),
                (false, 1) => Some(low + left[1]),
                _ => None,
            };
            Agreed { share: Some(index), count: Some(share.count), chips }
        });
        match &mut self.agreed {
            None => self.agreed = Some(found.collect()),
            Some(agreed) => {
                for (agreed, found) in agreed.iter_mut().zip(found) {
                    agreed.share = agreed.share.filter(|_| agreed.share == found.share);
                    agreed.count = agreed.count.filter(|_| agreed.count == found.count);
                    agreed.chips = agreed.chips.filter(|_| agreed.chips == found.chips);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Agreed, Share, explain};

    /// All choices, one by one.
    fn slowly(units: &[Vec<Share>], count: u64, chips: i64) -> Option<Vec<Agreed>> {
        let mut choices = vec![Vec::new()];
        for shares in units {
            choices = choices
                .into_iter()
                .flat_map(|choice: Vec<usize>| {
                    (0..shares.len()).map(move |index| [&choice[..], &[index]].concat())
                })
                .collect();
        }
        let share = |choice: &[usize], unit: usize| units[unit][choice[unit]];
        let fits = |choice: &Vec<usize>| {
            let sum = |end: usize| (0..units.len()).map(|u| share(choice, u).chips[end]).sum();
            let counted: u64 = (0..units.len()).map(|u| share(choice, u).count).sum();
            counted == count && (sum(0)..=sum(1)).contains(&chips)
        };
        let fitting: Vec<_> = choices.into_iter().filter(fits).collect();
        let same = |values: Vec<Option<i64>>| {
            let first = values[0]?;
            values.iter().all(|value| *value == Some(first)).then_some(first)
        };
        let agreed = |unit: usize| {
            let each = |of: &dyn Fn(&Vec<usize>) -> Option<i64>| {
                same(fitting.iter().map(of).collect::<Vec<_>>())
            };
            let worth = |choice: &Vec<usize>| {
                let [low, high] = share(choice, unit).chips;
                let others = (0..units.len()).filter(|&other| other != unit);
                let exact = |other: usize| share(choice, other).chips;
                if low == high {
                    return Some(low);
                }
                let mut left = chips;
                for other in others {
                    let [low, high] = exact(other);
                    if low < high {
                        return None;
                    }
                    left -= low;
                }
                Some(left)
            };
            Agreed {
                share: each(&|choice| Some(choice[unit] as i64)).map(|index| index as usize),
                count: each(&|choice| Some(share(choice, unit).count as i64)).map(|n| n as u64),
                chips: each(&worth),
            }
        };
        (!fitting.is_empty()).then(|| (0..units.len()).map(agreed).collect())
    }

    fn unit() -> impl Strategy<Value = Vec<Share>> {
        let share = (0..3u64, -4..4i64, 0..8i64)
            .prop_map(|(count, low, more)| Share { count, chips: [low, low + (more - 5).max(0)] });
        proptest::collection::vec(share, 1..4)
    }

    proptest! {
        #[test]
        fn what_is_agreed_on_is_in_every_explanation(
            units in proptest::collection::vec(unit(), 0..5), count in 0..5u64, chips in -9..9i64,
        ) {
            prop_assert_eq!(explain(&units, count, chips), slowly(&units, count, chips));
        }
    }

    #[test]
    fn too_many_explanations_agree_on_nothing() {
        let unit: Vec<Share> = (0..9).map(|chips| Share::exactly(1, chips)).collect();
        let agreed = explain(&vec![unit; 20], 20, 90).expect("there are many");
        assert!(agreed.iter().all(|agreed| agreed.count.is_none() && agreed.chips.is_none()));
    }
}
