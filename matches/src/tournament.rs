//! A tournament: every line-up of agents that the game has room for plays a match.
//!
//! All matches have the same seed, so that every line-up meets the same deals: differences between
//! agents are then less a matter of cards.

use agents::AgentChoice;

use crate::plan::Plan;

/// The matches of a tournament, in order, with the agents of each as indices into `agents`.
///
/// `plan` is the pattern; its entrants are not looked at. In a two-player game every pair plays; in
/// a game for `n` players every set of `n`.
pub fn matches(plan: &Plan, agents: &[AgentChoice]) -> Vec<(Vec<usize>, Plan)> {
    line_ups(agents.len(), plan.def.players)
        .into_iter()
        .map(|line_up| {
            let entrants = line_up.iter().map(|&agent| agents[agent].clone()).collect();
            let plan = Plan { entrants, ..plan.clone() };
            (line_up, plan)
        })
        .collect()
}

/// All sets of `seats` among `agents`, each in increasing order, in lexicographic order.
fn line_ups(agents: usize, seats: usize) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut current: Vec<usize> = (0..seats).collect();
    if seats == 0 || seats > agents {
        return found;
    }
    loop {
        found.push(current.clone());
        // The last place that can still move up, with everything behind it following closely.
        let movable = (0..seats).rev().find(|&i| current[i] < agents - seats + i);
        let Some(place) = movable else { return found };
        current[place] += 1;
        for i in place + 1..seats {
            current[i] = current[i - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::line_ups;

    #[test]
    fn every_line_up_plays_once() {
        assert_eq!(line_ups(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(line_ups(6, 3).len(), 20);
        assert_eq!(line_ups(2, 3), Vec::<Vec<usize>>::new());
    }
}
