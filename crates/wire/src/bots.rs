//! Building, asking and dropping agents from asynchronous code: on blocking threads, so that the
//! runtime's tasks go on.

use std::sync::Arc;

use agents::{AgentChoice, AgentError};
use game::{GameDef, InfoSet};
use matches::bot::Bot;
use matches::decide::{Decided, Request};
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

/// Builds an agent on a blocking thread and tells it who else plays.
///
/// # Errors
/// The outer one when the runtime has no thread for it, the inner one when the agent cannot be
/// built.
pub(crate) async fn build(
    choice: &AgentChoice,
    def: &Arc<GameDef>,
    opponents: &[String],
) -> Result<Result<Bot, AgentError>, JoinError> {
    let (choice, def, opponents) = (choice.clone(), Arc::clone(def), opponents.to_vec());
    spawn_blocking(move || {
        choice.prepare(&def, u64::MAX);
        let mut bot = Bot::new(&choice, &def)?;
        bot.meet(&opponents);
        Ok(bot)
    })
    .await
}

/// A decision in progress; it returns the agent and the information set it was asked about, too.
pub(crate) type Thought = JoinHandle<(Bot, InfoSet, Decided)>;

/// Starts a decision on a blocking thread.
pub(crate) fn think(mut bot: Bot, infoset: InfoSet, request: Request) -> Thought {
    spawn_blocking(move || {
        let decided = bot.decide(&infoset, request);
        (bot, infoset, decided)
    })
}

/// Drops an agent on a blocking thread: one that runs programs waits a little for them to end.
pub(crate) async fn dismiss(bot: Option<Bot>) {
    if let Some(bot) = bot {
        let _ = spawn_blocking(move || drop(bot)).await;
    }
}
