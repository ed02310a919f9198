//! Sessions: what their routes take and answer. One request type a route, all with the fields of every call.

mod act;
mod answer;
mod event;
mod extract;
mod handle;
mod interact;
mod manage;
mod open;
mod open_options;
mod request;
mod screenshot;
mod snapshot;
mod snapshot_options;
mod storage;
mod target;
#[cfg(test)]
mod tests;
mod upload;
mod url;
mod view;
mod wait;

pub use act::{
    CheckRequest, ClickRequest, DragRequest, HoverRequest, Modifier, MouseButton, PressRequest, ScrollDirection,
    ScrollEnd, ScrollRequest, SelectRequest, TypeRequest,
};
pub use answer::{Acted, BoundingBox, ErrorContext, Method, Plain, SessionAnswer, SessionTimings, TargetAnswer, Tried};
pub use event::{DialogKind, Event};
pub use extract::{Extracted, SessionExtractRequest};
pub(crate) use handle::check_handle;
pub use handle::{ElementRef, HANDLE_PREFIX, NotARef, REPLICA_CHARS, is_handle, replica_of};
pub use interact::{InteractAction, InteractDetails, InteractOptions, InteractRequest, Interacted};
pub use manage::{
    CloseRequest, Closed, Control, DialogRequest, FileInfo, Files, FilesAction, FilesRequest, State, StateRequest,
    Status, StatusRequest, TabInfo, Tabs, TabsAction, TabsRequest,
};
pub use open::{HistoryAction, LoadState, NavigateRequest, OpenRequest};
pub use open_options::{OPEN_FIELDS, OpenOptions, Opens};
pub use request::{Owner, SessionRequest};
pub use screenshot::{Picture, SessionScreenshotRequest};
pub use snapshot::{SnapshotAnswer, SnapshotRef, SnapshotRequest};
pub use snapshot_options::{SnapshotInAnswer, SnapshotMode, SnapshotOptions, SnapshotWithMode};
pub use storage::{Cookie, CookiePartition, OriginStorage, SameSite, StorageEntry, StorageState};
pub use target::{Point, SemanticTarget, Target, TargetBy, TargetObject, Targeted};
pub(crate) use upload::check_files;
pub use upload::{UploadFile, UploadRequest};
pub use view::{ViewerAnswer, ViewerRequest, ViewerRole};
pub use wait::{Condition, ElementState, WaitRequest};
