//! The hand being played: its full state and the board cards not yet dealt.

use std::sync::Arc;

use cards::Board;
use game::{Action, GameDef, IllegalReason, PublicState, State, Turn};

use crate::acpc::deal::Deal;

#[derive(Debug)]
pub(super) struct Hand {
    pub(super) number: u32,
    pub(super) state: State,
    board: Board,
}

impl Hand {
    pub(super) fn new(def: &Arc<GameDef>, number: u32, deal: Deal) -> Hand {
        let state = State { public: PublicState::new(def), hole: deal.hole };
        let mut hand = Hand { number, state, board: deal.board };
        hand.deal();
        hand
    }

    pub(super) fn play(&mut self, action: Action) -> Result<(), IllegalReason> {
        self.state.public.apply(action)?;
        self.deal();
        Ok(())
    }

    pub(super) fn is_over(&self) -> bool {
        self.state.public.turn() == Turn::Over
    }

    fn deal(&mut self) {
        let dealt = self.state.public.deal_from(&self.board);
        dealt.expect("the whole board was dealt from the game's own deck");
    }
}
