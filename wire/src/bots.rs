//! Agents for drivers on a runtime: what may take long is done where it holds nobody up.

use std::sync::Arc;

use agents::{AgentChoice, AgentError};
use game::{GameDef, InfoSet};
use matches::bot::Bot;
use matches::decide::{Decided, Request};
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

/// A new agent that has been told who else plays.
///
/// # Errors The outer one when the runtime has no thread for it, the inner one when the agent
/// cannot be built.
pub(crate) async fn build(
    choice: &AgentChoice,
    def: &Arc<GameDef>,
    opponents: &[String],
) -> Result<Result<Bot, AgentError>, JoinError> {
    let (choice, def, opponents) = (choice.clone(), Arc::clone(def), opponents.to_vec());
    spawn_blocking(move || {
        let mut bot = Bot::new(&choice, &def)?;
        bot.meet(&opponents);
        Ok(bot)
    })
    .await
}

/// A decision in progress. It gives back what was asked and who was.
pub(crate) type Thought = JoinHandle<(Bot, InfoSet, Decided)>;

/// Asks for a decision on another thread.
pub(crate) fn think(mut bot: Bot, infoset: InfoSet, request: Request) -> Thought {
    spawn_blocking(move || {
        let decided = bot.decide(&infoset, request);
        (bot, infoset, decided)
    })
}

/// Ends an agent. One that runs programs ends them before it is gone; it has a little time for
/// that.
pub(crate) async fn dismiss(bot: Option<Bot>) {
    if let Some(bot) = bot {
        let _ = spawn_blocking(move || drop(bot)).await;
    }
}
