//! Looking at the page without acting: pictures and readings.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use porthole_contract::session::{
    ElementRef, Extracted, Picture, SessionExtractRequest, SessionRequest as _, SessionScreenshotRequest,
    SnapshotAnswer, SnapshotOptions, SnapshotRef, Target, Targeted as _,
};
use porthole_contract::{ImageFormat, Invalid, WarningCode};
use tokio::time::Instant;

use super::aim::Looking;
use super::turn::ANSWER_TIME;
use super::{SessionError, Turn};
use crate::operation::{Asked, Wanted, picture};
use crate::page::interact::{self, ActError, Ref, RefBox, Scroll, Snapshot};
use crate::page::{Page, PageError, Region};

/// How many documents are asked, one after the other, of a page that goes from one to the next.
const DOCUMENTS_MAX: usize = 5;
/// How long a page may take to leave for another document before an action is answered without a snapshot.
const LEAVES_WITHIN: Duration = Duration::from_secs(2);
/// How long a document that has shown nothing is waited for.
const PARSED_WITHIN: Duration = Duration::from_secs(3);

/// Whether the whole page was asked for what can be acted on, and has nothing of that.
fn says_nothing(snapshot: &Snapshot, wanted: &interact::SnapshotOptions) -> bool {
    let is_whole = wanted.interactive_only && wanted.root.is_none() && snapshot.changes != Some(true);
    snapshot.element_count == 0 && is_whole
}

impl Turn<'_> {
    /// Puts a snapshot of the tab into the call's answer.
    ///
    /// # Errors
    /// [`SessionError`]: the root's ref is stale, or the page does not answer.
    pub async fn take_snapshot(&mut self, options: &SnapshotOptions) -> Result<(), SessionError> {
        let page = self.page();
        let wanted = interact::SnapshotOptions {
            interactive_only: options.interactive_only,
            max_depth: options.max_depth.map(|depth| depth as usize),
            root: options.root.map(|root| Ref(root.0.into())),
            offset: options.offset as usize,
            max_chars: options.max_chars as usize,
            changes: options.changes,
            boxes: options.boxes,
        };
        let (snapshot, is_coming) = self.snapshot_of(&page, &wanted).await?;
        let is_empty = says_nothing(&snapshot, &wanted);
        let refs = snapshot.refs.into_iter().filter_map(|(reference, shown)| {
            let number = u32::try_from(reference.0).ok()?;
            Some((ElementRef(number), SnapshotRef { role: shown.role, name: shown.name }))
        });
        if snapshot.is_cut {
            let hint = WarningCode::PageTooLarge.says("the page has more than a snapshot reads; `root`, `interact`, `extract` and `screenshot` reach the rest");
            self.warns([hint]);
        } else if is_empty && is_coming {
            self.warns([WarningCode::PageLoading.says("the page is still loading and shows nothing yet")]);
        } else if is_empty {
            let hint = WarningCode::NothingInteractive
                .says("nothing on the page is known to be clickable; interactive_only: false shows its text");
            self.warns([hint]);
        }
        self.snapshot = Some(SnapshotAnswer {
            snapshot_id: format!("s{}", snapshot.id),
            tree: snapshot.tree,
            refs: refs.collect(),
            element_count: snapshot.element_count as u64,
            truncated: snapshot.truncated,
            chars: snapshot.chars as u64,
            changes: snapshot.changes,
        });
        Ok(())
    }

    /// The same for a call whose answer shall have one too. That there is none does not fail it.
    pub async fn add_snapshot(&mut self, options: &SnapshotOptions) {
        if self.page().dialog().is_some() {
            return;
        }
        let patience = if self.is_unsettled { Duration::ZERO } else { LEAVES_WITHIN };
        if let Ok(false) = self.page().stays(patience).await {
            self.warns([WarningCode::NoSnapshot.says(PageError::Leaving.to_string())]);
            return;
        }
        let taking = async {
            self.works_again().await?;
            self.take_snapshot(options).await
        };
        if let Err(error) = taking.await {
            self.warns([WarningCode::NoSnapshot.says(error.to_string())]);
        }
    }

    /// A snapshot of the page, which is waited for if it has shown nothing yet; and whether it is still coming then.
    async fn snapshot_of(
        &mut self,
        page: &Page,
        wanted: &interact::SnapshotOptions,
    ) -> Result<(Snapshot, bool), SessionError> {
        let (mut tries, mut has_waited) = (0..DOCUMENTS_MAX, false);
        loop {
            let snapshot = match page.snapshot(self.refs(), wanted).await {
                // The document went away meanwhile: the next one is asked.
                Err(ActError::NotFound(_)) if wanted.root.is_none() && tries.next().is_some() => continue,
                snapshot => snapshot?,
            };
            // The server may have sent only the document's head so far. New windows begin like this.
            if has_waited || !says_nothing(&snapshot, wanted) || page.is_parsed(Instant::now()).await? {
                return Ok((snapshot, false));
            }
            let last = self.deadline.checked_sub(2 * ANSWER_TIME).unwrap_or(self.deadline);
            if !page.is_parsed((Instant::now() + PARSED_WITHIN).min(last)).await? {
                return Ok((snapshot, true));
            }
            has_waited = true;
        }
    }

    /// Takes a picture of the tab.
    ///
    /// # Errors
    /// [`SessionError`]: the target is stale or not visible, the picture too large.
    pub async fn screenshot(&mut self, request: &SessionScreenshotRequest) -> Result<Picture, SessionError> {
        let region = match request.target() {
            None if request.full_page => Region::FullPage,
            None => Region::Viewport,
            Some(Target::At(_)) => return Err(Invalid::new("at", "is a point, which has no picture").into()),
            Some(target) => {
                let until = self.wait_until(request.target_wait_ms());
                let (element, answer) = self.aim_at_element(&target, Looking::until(until).disabled_too()).await?;
                let page = self.page();
                page.scroll(Some(&element), Scroll::IntoView, until).await?;
                let in_view = page.part_of(&element).await?.filter(|part| part.width >= 1.0 && part.height >= 1.0);
                Region::InView(in_view.ok_or(ActError::NotVisible(answer.name))?)
            }
        };
        let wanted = Wanted {
            region,
            format: request.format.unwrap_or_default(),
            quality: request.quality,
            max_bytes: request.max_bytes,
            viewport: self.session.viewport(),
            marks: if request.annotate { self.marks().await? } else { Vec::new() },
        };
        self.picture(&wanted).await
    }

    /// Takes a picture of the viewport, as small as a model needs it.
    pub(super) async fn picture_of_viewport(&mut self) -> Result<Picture, SessionError> {
        let viewport = self.session.viewport();
        let format = ImageFormat::Jpeg;
        self.picture(&Wanted {
            region: Region::Viewport,
            format,
            quality: None,
            max_bytes: None,
            viewport,
            marks: Vec::new(),
        })
        .await
    }

    /// The refs to draw, with a warning where there are none.
    async fn marks(&mut self) -> Result<Vec<RefBox>, SessionError> {
        let page = self.page();
        let marks = page.ref_boxes(self.refs()).await?;
        if marks.is_empty() {
            self.warns([WarningCode::NoRefs.says("no snapshot has given refs to what is on the page")]);
        }
        Ok(marks)
    }

    async fn picture(&mut self, wanted: &Wanted) -> Result<Picture, SessionError> {
        let page = self.page();
        // A window whose first document was refused is never drawn.
        page.load_error().map_or(Ok(()), Err)?;
        let (fitted, arrival, warnings) = picture(&page, wanted).await?;
        self.warns(warnings);
        Ok(Picture {
            final_url: arrival.final_url,
            status_code: arrival.status_code,
            image_base64: BASE64_STANDARD.encode(&fitted.bytes),
            mime_type: fitted.format.mime_type().to_owned(),
            truncated: fitted.truncated,
            width: fitted.width,
            height: fitted.height,
            bytes: fitted.bytes.len() as u64,
            blocked_requests: arrival.blocked_requests,
        })
    }

    /// Reads the tab's page as it stands.
    ///
    /// # Errors
    /// [`SessionError`]: nothing matches, or there is nothing to read.
    pub async fn extract(&mut self, request: &SessionExtractRequest) -> Result<Extracted, SessionError> {
        self.page().load_error().map_or(Ok(()), Err)?;
        let field = if request.extract.is_some() { "extract" } else { "instruction" };
        let asked = Asked::of(field, request.directives()?, request.offset, request.max_chars)?;
        let permit = self.permit()?;
        let schemas = asked.schemas(permit.clone()).await?;
        let reading = asked.read(&self.page(), schemas, permit).await?;
        self.warns(reading.warnings);
        let first = reading.results.first().cloned().unwrap_or_default();
        self.warnings.extend(first.warnings);
        Ok(Extracted {
            final_url: reading.arrival.final_url,
            status_code: reading.arrival.status_code,
            content: first.content,
            data: first.data,
            truncated: first.truncated,
            format: first.format,
            total_chars: first.total_chars,
            matched: first.matched,
            next_offset: first.next_offset,
            results: if reading.results.len() > 1 { reading.results } else { Vec::new() },
            blocked_requests: reading.arrival.blocked_requests,
        })
    }
}
