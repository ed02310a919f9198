//! Request bodies. Unknown fields and wrong types are refused by name; [`Validate`] refuses values out of range.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Directive, Directives, DirectivesSchema, is_false};
use crate::instruction::Instruction;
use crate::json::{Invalid, Validate};
use crate::limits::{
    DEVICE_SCALE_FACTOR_MAX, DEVICE_SCALE_FACTOR_MIN, IMAGE_MAX_BYTES, IMAGE_MAX_PIXELS, OFFSET_MAX,
    REQUEST_TIMEOUT_MAX_MS, REQUEST_TIMEOUT_MIN_MS, TEXT_MAX_CHARS, TOKEN_TTL_MAX_SECONDS, TOKEN_TTL_MIN_SECONDS,
    VIEWPORT_MAX_HEIGHT, VIEWPORT_MAX_WIDTH, WAIT_DELAY_MAX_MS, WAIT_TIMEOUT_DEFAULT_MS, WAIT_TIMEOUT_MAX_MS,
};
use crate::secret::expose_on_the_wire;

/// `POST create`: creates a sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateRequest {
    /// How long the owner token is valid, in seconds; default 86400.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 60, maximum = 2_592_000, default = 86_400)]
    pub ttl_seconds: Option<u64>,
}

impl Validate for CreateRequest {
    fn validate(&self) -> Result<(), Invalid> {
        in_range("ttl_seconds", self.ttl_seconds, TOKEN_TTL_MIN_SECONDS, TOKEN_TTL_MAX_SECONDS)
    }
}

/// `POST tenant`, from the worker to the service: the owner token of a tenant's sandbox, which is named after the tenant.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TenantRequest {
    /// The tenant's name: 1 to 64 letters and digits.
    pub tenant: String,
    /// How long the owner token is valid, in seconds.
    pub ttl_seconds: u64,
}

impl TenantRequest {
    /// What the ids of tenants' sandboxes begin with. Ids of `create` begin otherwise, so that no tenant's name leads to
    /// another caller's sandbox.
    pub const SANDBOX_PREFIX: &str = "mcp-";

    /// The id of the tenant's sandbox.
    #[must_use]
    pub fn sandbox_id(&self) -> String {
        format!("{}{}", Self::SANDBOX_PREFIX, self.tenant)
    }
}

impl Validate for TenantRequest {
    fn validate(&self) -> Result<(), Invalid> {
        let fits =
            (1..=64).contains(&self.tenant.len()) && self.tenant.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !fits {
            return Err(Invalid::new("tenant", "must be 1 to 64 letters and digits"));
        }
        in_range("ttl_seconds", Some(self.ttl_seconds), TOKEN_TTL_MIN_SECONDS, TOKEN_TTL_MAX_SECONDS)
    }
}

/// `POST browser-screenshot`: a picture of a page.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScreenshotRequest {
    /// The sandbox's id, as returned by `create`.
    #[schema(max_length = 128)]
    pub sandbox_id: String,
    /// The sandbox's owner token.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "expose_on_the_wire")]
    #[schema(value_type = String, required = true)]
    pub owner_token: Option<SecretString>,
    /// The page: an absolute `http` or `https` URL.
    pub url: String,
    /// Capture the whole page instead of the viewport.
    #[serde(default)]
    pub full_page: bool,
    /// The browser window; default 390×844, scale 1, mobile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Viewport>,
    /// Capture one element instead of the viewport: the first match of this CSS selector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1)]
    pub selector: Option<String>,
    /// The image's format; default `png`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ImageFormat>,
    /// JPEG's or WebP's quality; default 80.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100)]
    pub quality: Option<u8>,
    /// The value of `prefers-color-scheme`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color_scheme: Option<ColorScheme>,
    /// Whether `prefers-reduced-motion` is `reduce`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced_motion: Option<bool>,
    /// What to wait for after `DOMContentLoaded`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// What to do if a document arrived but did not load in time; default `fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnTimeout>,
    /// Time limit of the whole request in the service, queue included, in milliseconds; default 60000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1000, maximum = 60_000, default = 60_000)]
    pub timeout_ms: Option<u32>,
    /// Size cap of the image, in bytes before base64; default 1500000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1_500_000, default = 1_500_000)]
    pub max_bytes: Option<u32>,
    /// Set by the worker; a caller's value is replaced or removed.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "expose_on_the_wire")]
    #[schema(value_type = Option<String>, write_only)]
    pub browserbase_api_key: Option<SecretString>,
    /// Set by the worker; a caller's value is replaced or removed.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "expose_on_the_wire")]
    #[schema(value_type = Option<String>, write_only)]
    pub browserbase_project_id: Option<SecretString>,
}

impl Validate for ScreenshotRequest {
    fn validate(&self) -> Result<(), Invalid> {
        sandbox_id(&self.sandbox_id)?;
        self.viewport.as_ref().map_or(Ok(()), Validate::validate)?;
        not_blank("selector", self.selector.as_deref())?;
        if self.full_page && self.selector.is_some() {
            return Err(Invalid::new(
                "selector",
                "captures one element, full_page the whole page: send only one of them",
            ));
        }
        in_range("quality", self.quality.map(u64::from), 1, 100)?;
        self.wait.as_ref().map_or(Ok(()), Validate::validate)?;
        timeout(self.timeout_ms)?;
        in_range("max_bytes", self.max_bytes.map(u64::from), 1, IMAGE_MAX_BYTES as u64)
    }
}

/// `POST browser-extract`: a page's text.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractRequest {
    /// The sandbox's id, as returned by `create`.
    #[schema(max_length = 128)]
    pub sandbox_id: String,
    /// The sandbox's owner token.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "expose_on_the_wire")]
    #[schema(value_type = String, required = true)]
    pub owner_token: Option<SecretString>,
    /// The page: an absolute `http` or `https` URL.
    pub url: String,
    /// What to read: directives, one per line or separated by `;`: `article`, `markdown`, `selector: CSS`,
    /// `xpath: …`, `text: …`, `role: button "Name"`, `testid: …`, `all: …`, `links`, `images`, `metadata`, `headings`,
    /// `table: CSS`, `tables`, `csv: CSS`, `html`, `json: {…}`, `schema: {…}`. Default: the page's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// The typed form of `instruction`; send only one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<DirectivesSchema>)]
    pub extract: Option<Directives>,
    /// Include hidden content in articles, Markdown, HTML, tables and JSON.
    #[serde(default, skip_serializing_if = "is_false")]
    pub include_hidden: bool,
    /// Where to continue, for a single directive: the `next_offset` of the previous answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 100_000_000)]
    pub offset: Option<u32>,
    /// The browser window; default 1280×720, scale 1, not mobile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Viewport>,
    /// What to wait for after `DOMContentLoaded`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// What to do if a document arrived but did not load in time; default `fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnTimeout>,
    /// Time limit of the whole request in the service, queue included, in milliseconds; default 60000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1000, maximum = 60_000, default = 60_000)]
    pub timeout_ms: Option<u32>,
    /// Longest `content`, in Unicode scalar values; default 20000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 20_000, default = 20_000)]
    pub max_chars: Option<u32>,
    /// Set by the worker; a caller's value is replaced or removed.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "expose_on_the_wire")]
    #[schema(value_type = Option<String>, write_only)]
    pub browserbase_api_key: Option<SecretString>,
    /// Set by the worker; a caller's value is replaced or removed.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "expose_on_the_wire")]
    #[schema(value_type = Option<String>, write_only)]
    pub browserbase_project_id: Option<SecretString>,
}

impl Validate for ExtractRequest {
    fn validate(&self) -> Result<(), Invalid> {
        sandbox_id(&self.sandbox_id)?;
        self.viewport.as_ref().map_or(Ok(()), Validate::validate)?;
        self.wait.as_ref().map_or(Ok(()), Validate::validate)?;
        timeout(self.timeout_ms)?;
        in_range("max_chars", self.max_chars.map(u64::from), 1, TEXT_MAX_CHARS as u64)?;
        in_range("offset", self.offset.map(u64::from), 0, OFFSET_MAX.into())?;
        self.reading().check()
    }
}

impl ExtractRequest {
    /// Returns the directives of `extract` or `instruction`; `None` if the instruction is free text. The request's own
    /// `offset`, `max_chars` and `include_hidden` are the defaults of each directive.
    ///
    /// # Errors
    /// [`Invalid`] if the instruction is invalid.
    pub fn directives(&self) -> Result<Option<Vec<Directive>>, Invalid> {
        self.reading().directives()
    }

    fn reading(&self) -> Reading<'_> {
        Reading {
            extract: self.extract.as_ref(),
            instruction: self.instruction.as_deref(),
            offset: self.offset,
            max_chars: self.max_chars,
            include_hidden: self.include_hidden,
        }
    }
}

/// What a request says about what is to be read, of a URL or of a session's page.
pub(crate) struct Reading<'a> {
    pub(crate) extract: Option<&'a Directives>,
    pub(crate) instruction: Option<&'a str>,
    pub(crate) offset: Option<u32>,
    pub(crate) max_chars: Option<u32>,
    pub(crate) include_hidden: bool,
}

impl Reading<'_> {
    pub(crate) fn directives(&self) -> Result<Option<Vec<Directive>>, Invalid> {
        let mut directives = match (self.extract, self.instruction) {
            (Some(directives), _) => directives.as_slice().to_vec(),
            (None, Some(instruction)) => match Instruction::parse(instruction)? {
                Instruction::Directives(directives) => directives,
                Instruction::FreeText => return Ok(None),
            },
            (None, None) => vec![Directive::default()],
        };
        for directive in &mut directives {
            directive.offset = directive.offset.or(self.offset);
            directive.max_chars = directive.max_chars.or(self.max_chars);
            directive.include_hidden |= self.include_hidden;
        }
        Ok(Some(directives))
    }

    pub(crate) fn check(&self) -> Result<(), Invalid> {
        if self.extract.is_some() && self.instruction.is_some() {
            return Err(Invalid::new("extract", "says the same as instruction: send one of them"));
        }
        let directives = self.directives()?;
        if self.offset.is_some() && directives.as_ref().is_some_and(|directives| directives.len() > 1) {
            return Err(Invalid::new("offset", "goes with one directive; several have an offset each"));
        }
        self.extract.map_or(Ok(()), Validate::validate)
    }
}

/// The browser window, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Viewport {
    /// Width in CSS pixels.
    #[schema(minimum = 1, maximum = 3840)]
    pub width: u32,
    /// Height in CSS pixels.
    #[schema(minimum = 1, maximum = 2160)]
    pub height: u32,
    /// Image pixels per CSS pixel.
    #[serde(default = "scale_one")]
    #[schema(minimum = 0.5, maximum = 3, default = 1)]
    pub device_scale_factor: f64,
    /// Whether the page sees a mobile device: overlay scrollbars, touch, the viewport's meta tag.
    #[serde(default)]
    #[schema(default = false)]
    pub mobile: bool,
}

const fn scale_one() -> f64 {
    1.0
}

impl Viewport {
    /// Default of a screenshot: a phone.
    pub const PHONE: Viewport = Viewport { width: 390, height: 844, device_scale_factor: 1.0, mobile: true };
    /// Default of an extract: a desktop window.
    pub const DESKTOP: Viewport = Viewport { width: 1280, height: 720, device_scale_factor: 1.0, mobile: false };
}

impl Validate for Viewport {
    fn validate(&self) -> Result<(), Invalid> {
        in_range("viewport.width", Some(self.width.into()), 1, VIEWPORT_MAX_WIDTH.into())?;
        in_range("viewport.height", Some(self.height.into()), 1, VIEWPORT_MAX_HEIGHT.into())?;
        if !(DEVICE_SCALE_FACTOR_MIN..=DEVICE_SCALE_FACTOR_MAX).contains(&self.device_scale_factor) {
            return Err(Invalid::new(
                "viewport.device_scale_factor",
                format!("must be from {DEVICE_SCALE_FACTOR_MIN} to {DEVICE_SCALE_FACTOR_MAX}"),
            ));
        }
        let pixels = f64::from(self.width) * f64::from(self.height) * self.device_scale_factor.powi(2);
        if pixels > IMAGE_MAX_PIXELS as f64 {
            return Err(Invalid::new("viewport", format!("makes a picture of more than {IMAGE_MAX_PIXELS} pixels")));
        }
        Ok(())
    }
}

/// An image's format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// Lossless.
    #[default]
    Png,
    /// Lossy, smallest for photographs.
    Jpeg,
    /// Lossy, smaller than JPEG at the same quality.
    Webp,
}

impl ImageFormat {
    /// Returns its media type.
    #[must_use]
    pub const fn mime_type(self) -> &'static str {
        match self {
            ImageFormat::Png => "image/png",
            ImageFormat::Jpeg => "image/jpeg",
            ImageFormat::Webp => "image/webp",
        }
    }

    /// Returns its usual file extension.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            ImageFormat::Png => "png",
            ImageFormat::Jpeg => "jpg",
            ImageFormat::Webp => "webp",
        }
    }
}

/// The value of `prefers-color-scheme`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ColorScheme {
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// What to wait for after `DOMContentLoaded`. A wait that times out does not fail the request; it adds a warning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// The page's state; default `settled`.
    #[serde(default)]
    pub until: Until,
    /// Longest wait, in milliseconds of real time; default 5000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 30_000, default = 5_000)]
    pub timeout_ms: Option<u32>,
    /// Also wait for an element that matches this CSS selector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1)]
    pub selector: Option<String>,
    /// Further delay after that, in milliseconds: of the page's own clock for `settled`, of real time otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 10_000, default = 0)]
    pub delay_ms: Option<u32>,
}

impl Wait {
    /// Returns the longest wait, in milliseconds.
    #[must_use]
    pub fn timeout_or_default_ms(&self) -> u32 {
        self.timeout_ms.unwrap_or(WAIT_TIMEOUT_DEFAULT_MS)
    }
}

impl Validate for Wait {
    fn validate(&self) -> Result<(), Invalid> {
        in_range("wait.timeout_ms", self.timeout_ms.map(u64::from), 0, WAIT_TIMEOUT_MAX_MS.into())?;
        not_blank("wait.selector", self.selector.as_deref())?;
        in_range("wait.delay_ms", self.delay_ms.map(u64::from), 0, WAIT_DELAY_MAX_MS.into())
    }
}

/// A page's state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Until {
    /// Finite timers, animations, fetches and font loads have ended.
    #[default]
    Settled,
    /// The document is parsed.
    DomContentLoaded,
    /// The document and all its resources are loaded.
    Load,
    /// No request for 500 ms.
    NetworkIdle,
}

/// What to do if a document arrived but did not reach `DOMContentLoaded` in time. Without a document, the request
/// fails with `NAVIGATION_TIMEOUT` either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnTimeout {
    /// The request fails with `NAVIGATION_TIMEOUT`.
    #[default]
    Fail,
    /// The document is used as it is, with the warning `partial: …`.
    Partial,
}

pub(crate) fn in_range(path: &str, value: Option<u64>, min: u64, max: u64) -> Result<(), Invalid> {
    match value {
        Some(value) if !(min..=max).contains(&value) => Err(Invalid::new(path, format!("must be from {min} to {max}"))),
        _ => Ok(()),
    }
}

pub(crate) fn timeout(timeout_ms: Option<u32>) -> Result<(), Invalid> {
    in_range("timeout_ms", timeout_ms.map(u64::from), REQUEST_TIMEOUT_MIN_MS.into(), REQUEST_TIMEOUT_MAX_MS.into())
}

pub(crate) fn not_blank(path: &str, value: Option<&str>) -> Result<(), Invalid> {
    match value {
        Some(value) if value.trim().is_empty() => Err(Invalid::new(path, "must not be empty")),
        _ => Ok(()),
    }
}

pub(crate) fn at_most_chars(path: &str, value: Option<&str>, max: usize) -> Result<(), Invalid> {
    match value {
        Some(value) if value.chars().count() > max => {
            Err(Invalid::new(path, format!("must not be longer than {max} characters")))
        }
        _ => Ok(()),
    }
}

/// Sandboxes that a chat backend named itself are as good as ours, so only the characters are judged.
pub(crate) fn sandbox_id(id: &str) -> Result<(), Invalid> {
    let fits = (1..=128).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':'));
    if fits {
        Ok(())
    } else {
        Err(Invalid::new("sandbox_id", "must be 1 to 128 letters, digits, '-', '_', '.' or ':'"))
    }
}
