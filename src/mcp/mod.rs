//! Tools for language models, by the Model Context Protocol: over standard input and output
//! (`cardroom mcp`), and as streamable HTTP under `cardroom serve`.
//!
//! The protocol is that of its SDK; here are the tools. Each answers with a document of this
//! program, those of commands among them. What cannot be done is refused as the result of the tool,
//! which a model reads, not as an error of the protocol, which it may not see.
//!
//! - [`tools`]: what the tools are, their arguments and limits. [`tables`]: hands played by them.

mod tables;
mod tools;

use std::sync::Arc;

use axum::Router;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServiceExt};
use tokio_util::sync::CancellationToken;

use crate::web::VERSION;

pub use tools::{Tools, ToolsPlan};

/// The path under `cardroom serve`.
pub const PATH: &str = "/mcp";

/// Most bytes of a message.
const MAX_MESSAGE: usize = 64 << 10;

/// What a model is told about the tools as a whole.
const INSTRUCTIONS: &str = "Poker against agents, and exact facts about it. `list` names the \
    agents, games and limits. To play: `new_table`, then `act` with the `turn` of the state, until \
    `over`; every answer has the state after it, with the legal actions. Amounts are totals in \
    chips that you have put in over the whole hand. `stats` gives the result of a match with an \
    interval and without the luck of the cards, `explain` what a decision cost.";

/// The tools as a server of the protocol; cheap to clone.
#[derive(Clone)]
struct Server(Arc<Tools>);

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("cardroom", VERSION))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let CallToolRequestParams { name, arguments, .. } = request;
        if !tools::list().iter().any(|tool| tool.name == name) {
            let shown = game::escape::excerpt(&name);
            return Err(ErrorData::invalid_params(format!("there is no tool `{shown}`"), None));
        }
        let answer = self.0.call(&name, arguments.unwrap_or_default(), &context.ct).await;
        let result = match answer {
            Ok(answer) => {
                let mut result = CallToolResult::structured(answer.document);
                result.content.extend(answer.note.map(ContentBlock::text));
                result
            }
            Err(refusal) => {
                let mut content = vec![ContentBlock::text(refusal.why)];
                content.extend(refusal.now.as_ref().map(|now| ContentBlock::text(now.to_string())));
                let mut result = CallToolResult::error(content);
                result.structured_content = refusal.now;
                result
            }
        };
        Ok(result.into())
    }
}

/// Serves the tools over standard input and output, until the input ends.
///
/// # Errors
/// When the client does not begin as the protocol says.
pub async fn serve_stdio(tools: Arc<Tools>) -> anyhow::Result<()> {
    let transport = AsyncRwTransport::new_server(tokio::io::stdin(), tokio::io::stdout());
    let transport = transport.with_max_line_length(MAX_MESSAGE);
    let served = Server(Arc::clone(&tools)).serve(transport).await;
    let ended = match served {
        Ok(running) => running.waiting().await.map(drop).map_err(anyhow::Error::from),
        // An input that ends before it has begun is no error.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(anyhow::anyhow!("{error}")),
    };
    tools.close().await;
    ended
}

/// The route of the tools under `cardroom serve`. Every request stands for itself: tables are known
/// by their names, which nobody guesses.
pub fn router(tools: Arc<Tools>, stop: CancellationToken) -> Router {
    // Hosts and origins are checked before.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_MESSAGE)
        .with_cancellation_token(stop)
        .disable_allowed_hosts();
    let sessions = Arc::new(NeverSessionManager::default());
    let serve = move || Ok(Server(Arc::clone(&tools)));
    Router::new().route_service(PATH, StreamableHttpService::new(serve, sessions, config))
}
