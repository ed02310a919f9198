//! The kinds of browsers.

/// The use of a browser's pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BrowserKind {
    /// Visits, with pages that draw by themselves.
    Ordinary,
    /// Visits, with pages that draw by `begin_frame`.
    BeginFrame,
    /// Sessions.
    Session,
}
