//! Closed shadow roots: the document's functions can't see them, the protocol can.

use chromiumoxide_cdp::cdp::browser_protocol::dom::{
    BackendNodeId, DescribeNodeParams, ResolveNodeParams, ShadowRootType,
};
use chromiumoxide_cdp::cdp::js_protocol::runtime::{CallFunctionOnParams, ExecutionContextId, ReleaseObjectParams};
use futures_util::future::join_all;
use porthole_contract::limits::CAPTURE_TIMEOUT;

use super::{ActError, Frame};
use crate::cdp::CdpError;
use crate::page::Page;
use crate::page::script::CLOSED_ROOT;

impl Page {
    /// Asks the browser about the elements that may have closed shadow roots, which the function `hosts` of the kit returns,
    /// and gives these roots to the kit. Returns how many there were.
    pub(in crate::page) async fn open_closed_roots(&self, frame: &Frame, hosts: &str) -> Result<usize, ActError> {
        let opening = async {
            let session = frame.session();
            let (list, hosts) = frame.objects(hosts, Vec::new()).await?;
            let described = join_all(hosts.iter().map(|host| {
                session.call(&DescribeNodeParams { object_id: Some(host.clone()), ..DescribeNodeParams::default() })
            }));
            let roots: Vec<BackendNodeId> = described
                .await
                .into_iter()
                .filter_map(Result::ok)
                .flat_map(|described| described.node.shadow_roots.unwrap_or_default())
                .filter(|root| root.shadow_root_type == Some(ShadowRootType::Closed))
                .map(|root| root.backend_node_id)
                .collect();
            for object in hosts.into_iter().chain(list) {
                session.call(&ReleaseObjectParams::new(object)).forget();
            }
            let opened = join_all(roots.into_iter().map(|root| self.open_closed_root(frame, root))).await;
            Ok(opened.iter().filter(|opened| opened.is_ok()).count())
        };
        self.unless_held(CAPTURE_TIMEOUT, "asking for shadow roots", opening).await
    }

    async fn open_closed_root(&self, frame: &Frame, root: BackendNodeId) -> Result<(), CdpError> {
        let resolve = ResolveNodeParams {
            backend_node_id: Some(root),
            execution_context_id: Some(ExecutionContextId::new(frame.world())),
            ..ResolveNodeParams::default()
        };
        let Some(object) = frame.session().call(&resolve).await?.object.object_id else { return Ok(()) };
        let mut give = CallFunctionOnParams::new(CLOSED_ROOT);
        give.object_id = Some(object.clone());
        let given = frame.session().call(&give).await;
        frame.session().call(&ReleaseObjectParams::new(object)).forget();
        given.map(drop)
    }
}
