//! Which stack the tools use: the one that a flag or `PORTHOLE_URL` names, else the one of `porthole up`, else one of
//! its own, started when the first tool is called.

use porthole_client::{Client, DEFAULT_URL, is_worker};
use tokio_util::task::TaskTracker;

use crate::failure::Failed;
use crate::settings;
use crate::up::OwnStack;

/// Which stack is to be used.
pub(super) enum Wanted {
    /// The worker that the user named.
    Named(Client),
    /// The one of `porthole up`, else one of its own.
    Any,
    /// One of its own.
    Own,
}

/// A stack that can be called.
pub(super) struct Stack {
    pub(super) client: Client,
    /// Runs for as long as it is kept.
    _own: Option<OwnStack>,
}

impl Stack {
    /// Finds the stack, or starts one among `tasks`.
    pub(super) async fn reach(wanted: &Wanted, tasks: &TaskTracker) -> Result<Self, Failed> {
        match wanted {
            Wanted::Named(client) => return Ok(Self { client: client.clone(), _own: None }),
            // Asked without a key: another program may listen there.
            Wanted::Any if is_worker(DEFAULT_URL).await => {
                let client = settings::client(Some(DEFAULT_URL.to_owned()), |builder| builder)?;
                return Ok(Self { client, _own: None });
            }
            Wanted::Any | Wanted::Own => {}
        }
        let own = OwnStack::start(tasks).await?;
        let client = Client::builder().url(own.worker()).key(own.key().clone()).build();
        let client = client.map_err(|error| Failed::io("start a client", std::io::Error::other(error)))?;
        Ok(Self { client, _own: Some(own) })
    }
}
