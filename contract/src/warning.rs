//! Warnings of answers: what happened otherwise than the caller may expect. On the wire each is a text, `code: sentence`.

use std::borrow::Cow;
use std::fmt;

/// Builds [`WarningCode`] and its names in one place.
macro_rules! warning_codes {
    ($($(#[doc = $doc:literal])+ $variant:ident, $name:literal;)+) => {
        /// What a warning is about. docs/reference lists the codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum WarningCode {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl WarningCode {
            /// Every code.
            pub const ALL: &'static [WarningCode] = &[$(WarningCode::$variant),+];

            /// Returns the code's name on the wire.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(WarningCode::$variant => $name),+ }
            }
        }
    };
}

warning_codes! {
    /// The page looks like a captcha, a refusal, or asks for JavaScript.
    BlockPage, "block_page";
    /// The page or a tab tried to open a refused target.
    BlockedTarget, "blocked_target";
    /// A press arrived, and no click followed.
    ClickLost, "click_lost";
    /// A consent dialog covers the page.
    ConsentWall, "consent_wall";
    /// An entry was not read in full.
    CutEntry, "cut_entry";
    /// A dialog opened while a text was typed, or at the release of a click.
    DialogOpened, "dialog_opened";
    /// A directive beside others found no text.
    EmptyExtraction, "empty_extraction";
    /// The field left the page, with what was typed or chosen.
    FieldGone, "field_gone";
    /// The page moved the focus while keys came.
    FocusMoved, "focus_moved";
    /// A reload sent a form again.
    FormResent, "form_resent";
    /// The picture was over the size cap and came in another format.
    FormatChanged, "format_changed";
    /// Frames of other origins were not read.
    FramesUnread, "frames_unread";
    /// Text that a reader can't see was left out, or is included.
    HiddenText, "hidden_text";
    /// The instruction is no directive.
    InstructionIgnored, "instruction_ignored";
    /// A value can't be read as an unambiguous one of its type.
    Misfit, "misfit";
    /// More values are missing or ambiguous.
    Misfits, "misfits";
    /// A new tab could not load its page.
    NavigationFailed, "navigation_failed";
    /// The network was not idle in time.
    NetworkBusy, "network_busy";
    /// Nothing on the page changed.
    NoChange, "no_change";
    /// No snapshot has given refs yet, so a picture has no numbers.
    NoRefs, "no_refs";
    /// The action was done, and the snapshot could not be taken.
    NoSnapshot, "no_snapshot";
    /// A drag did not drop anything.
    NotDropped, "not_dropped";
    /// Nothing matches the selector of a value.
    NotFound, "not_found";
    /// Whether the field holds the text can't be told.
    NotReadBack, "not_read_back";
    /// What the page draws in place of a hidden select did not change.
    NotShown, "not_shown";
    /// Enter was not pressed, or did nothing but move the focus.
    NotSubmitted, "not_submitted";
    /// Nothing on the page is known to be clickable.
    NothingInteractive, "nothing_interactive";
    /// Control or invisible characters were left out, or are included.
    OddCharacters, "odd_characters";
    /// The offset is past the end of the content.
    OffsetBeyondEnd, "offset_beyond_end";
    /// A document tried to load more than its budget.
    OverBudget, "over_budget";
    /// The page, or what was matched, was not read in full.
    PageCut, "page_cut";
    /// The page is still loading and shows nothing yet.
    PageLoading, "page_loading";
    /// The page has more than a snapshot reads.
    PageTooLarge, "page_too_large";
    /// The document did not load in time and was taken as it stood.
    Partial, "partial";
    /// A PNG has no quality.
    QualityIgnored, "quality_ignored";
    /// A value violates the schema.
    SchemaMisfit, "schema_misfit";
    /// Not all values were checked against the schema.
    SchemaUnchecked, "schema_unchecked";
    /// A directive beside others matched nothing.
    SelectorNotFound, "selector_not_found";
    /// Several elements, options or frames match.
    SeveralMatch, "several_match";
    /// A part of a tab's storage was left out.
    StateTruncated, "state_truncated";
    /// The field holds another value than what was typed.
    ValueDiffers, "value_differs";
    /// A state of the page was not reached in time.
    WaitTimeout, "wait_timeout";
}

/// A code, and a sentence about this case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What it is about.
    pub code: WarningCode,
    /// The sentence, which may quote the page.
    pub sentence: Cow<'static, str>,
}

// === impl WarningCode ===

impl WarningCode {
    /// Makes a warning with this code.
    pub fn says(self, sentence: impl Into<Cow<'static, str>>) -> Warning {
        Warning { code: self, sentence: sentence.into() }
    }
}

// === impl Warning ===

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.sentence)
    }
}

impl From<Warning> for String {
    fn from(warning: Warning) -> Self {
        warning.to_string()
    }
}
