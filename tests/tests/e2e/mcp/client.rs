//! rmcp's own client, with results as a test wants to read them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use porthole_tests::executable::binary;
use porthole_tests::process::Environment;
use rmcp::model::{CallToolRequestParams, ContentBlock, ProgressNotificationParam, ProtocolVersion, Tool};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, NotificationContext, RunningService, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;

/// The handshake of 2025-11-25.
pub(super) fn earlier() -> ClientLifecycleMode {
    ClientLifecycleMode::Initialize
}

/// The stateless requests of 2026-07-28.
pub(super) fn current() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

/// Counts progress.
#[derive(Clone, Default)]
pub(super) struct Watching(Arc<AtomicUsize>);

impl ClientHandler for Watching {
    async fn on_progress(&self, _progress: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

pub(super) struct Client {
    running: RunningService<RoleClient, Watching>,
    watching: Watching,
    /// The process of the server, over stdio.
    pub(super) pid: Option<i32>,
}

/// A tool's result.
pub(super) struct Said {
    pub(super) text: String,
    pub(super) is_error: bool,
    pictures: Vec<Vec<u8>>,
}

impl Client {
    /// Starts `porthole mcp` and connects to it.
    pub(super) async fn over_stdio(arguments: &[&str], environment: &Environment, mode: ClientLifecycleMode) -> Self {
        let mut command = tokio::process::Command::new(binary("porthole"));
        command.arg("mcp").args(arguments).env_clear().envs(environment);
        let transport = TokioChildProcess::new(command).unwrap();
        let pid = transport.id().map(|pid| i32::try_from(pid).unwrap());
        let watching = Watching::default();
        let running = watching.clone().serve_with_lifecycle(transport, mode).await.unwrap();
        Self { running, watching, pid }
    }

    /// Connects to a URL with a client key, if there is one.
    pub(super) async fn over_http(url: &str, key: Option<&str>, mode: ClientLifecycleMode) -> Self {
        let mut config = StreamableHttpClientTransportConfig::with_uri(url);
        if let Some(key) = key {
            config = config.auth_header(key);
        }
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let transport = StreamableHttpClientTransport::with_client(http, config);
        let watching = Watching::default();
        let running = watching.clone().serve_with_lifecycle(transport, mode).await.unwrap();
        Self { running, watching, pid: None }
    }

    pub(super) async fn tools(&self) -> Vec<Tool> {
        self.running.list_all_tools().await.unwrap()
    }

    /// Calls a tool.
    pub(super) async fn call(&self, name: &str, arguments: Value) -> Said {
        let result = self.running.call_tool(params(name, arguments)).await.unwrap();
        let mut said = Said { text: String::new(), is_error: result.is_error == Some(true), pictures: Vec::new() };
        assert_eq!(result.structured_content, None);
        for block in result.content {
            match block {
                ContentBlock::Text(text) => said.text.push_str(&text.text),
                ContentBlock::Image(image) => said.pictures.push(STANDARD.decode(image.data).unwrap()),
                other => panic!("{other:?}"),
            }
        }
        said
    }

    /// Calls a tool whose result does not matter.
    pub(super) async fn attempt(&self, name: &str, arguments: Value) {
        drop(self.running.call_tool(params(name, arguments)).await);
    }

    /// Calls what the protocol refuses, and returns the JSON-RPC code.
    pub(super) async fn refused(&self, name: &str, arguments: Value) -> i32 {
        match self.running.call_tool(params(name, arguments)).await {
            Err(ServiceError::McpError(error)) => error.code.0,
            other => panic!("{other:?}"),
        }
    }

    /// How many progress notifications came so far.
    pub(super) fn progress(&self) -> usize {
        self.watching.0.load(Ordering::Relaxed)
    }

    pub(super) async fn leave(self) {
        self.running.cancel().await.unwrap();
    }
}

fn params(name: &str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    CallToolRequestParams::new(name.to_owned()).with_arguments(arguments)
}

impl Said {
    /// The session's handle.
    #[track_caller]
    pub(super) fn handle(&self) -> String {
        let handle = self.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
        handle.into_iter().find(|word| word.starts_with("ses_")).unwrap_or_else(|| panic!("{}", self.text)).to_owned()
    }

    /// The ref of the first line with this role.
    #[track_caller]
    pub(super) fn reference(&self, role: &str) -> String {
        let line = self.text.lines().find(|line| line.trim_start().starts_with(&format!("- {role} ")));
        let line = line.unwrap_or_else(|| panic!("{}", self.text));
        line.split("[ref=").nth(1).unwrap().split(']').next().unwrap().to_owned()
    }

    /// The size of the picture.
    #[track_caller]
    pub(super) fn picture(&self) -> (u32, u32) {
        assert!(!self.is_error && self.pictures.len() == 1, "{}", self.text);
        let picture = image::load_from_memory(&self.pictures[0]).unwrap();
        (picture.width(), picture.height())
    }
}
