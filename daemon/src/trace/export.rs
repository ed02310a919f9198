//! Exports spans by OTLP over HTTP to an OpenTelemetry collector. Without an endpoint nothing of it runs.
//!
//! A thread of the SDK sends spans in batches on a runtime of its own, so that a slow or missing collector delays no
//! request. Spans beyond the SDK's queue are lost.

use std::fmt;
use std::str::FromStr as _;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};
use percent_encoding::percent_decode_str;
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::runtime::Runtime;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;
use url::Url;

use super::{SPANS, otlp};
use crate::causes::with_causes;
use crate::settings::{Reader, Setting, SettingError, plain_url};

/// Where spans are sent. It has the standard's name, because container platforms set that for all their containers.
/// The standard's other variables apply too: `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`,
/// `OTEL_BSP_*`.
pub const OTLP_ENDPOINT: Setting = Setting::new(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "an http or https URL without user name, password, query or fragment, such as http://127.0.0.1:4318",
)
.help("Where OpenTelemetry spans are sent, by OTLP over HTTP")
.default_told("nowhere");

/// Headers for the collector, such as its API key.
pub const OTLP_HEADERS: Setting = Setting::secret(
    "OTEL_EXPORTER_OTLP_HEADERS",
    "a comma list of name=value, the values percent-encoded, such as api-key=abc",
);

/// The path for spans, appended to the endpoint.
const TRACES_PATH: &str = "v1/traces";
/// Time for a collector to accept a batch.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time to send the last batch at shutdown.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// The export of a process's spans; inactive without an endpoint.
#[derive(Default)]
pub struct Export(Option<SdkTracerProvider>);

impl Export {
    /// Starts the export that the settings configure. The process is named `service`, unless `OTEL_SERVICE_NAME` is
    /// set.
    ///
    /// # Errors
    /// [`SettingError`] for an invalid endpoint or invalid headers.
    pub(crate) fn start(reader: &Reader, service: &'static str) -> Result<Self, SettingError> {
        let headers = reader.secret(&OTLP_HEADERS)?;
        let headers = headers.as_ref().map_or_else(|| Some(HeaderMap::new()), headers_of);
        let headers = headers.ok_or_else(|| OTLP_HEADERS.refuse("", format!("must be {}", OTLP_HEADERS.accepted())))?;
        let Some(text) = reader.text(&OTLP_ENDPOINT)? else {
            return Ok(Self::default());
        };
        let endpoint = endpoint(&text).ok_or_else(|| {
            // A user name, password or query may be a secret.
            let shown = text.split(['@', '?']).count() == 1;
            let text = if shown { text } else { "(not shown)".to_owned() };
            OTLP_ENDPOINT.refuse(text, format!("must be {}", OTLP_ENDPOINT.accepted()))
        })?;
        let exporter = Exporter::new(endpoint.clone(), headers)
            .map_err(|error| OTLP_ENDPOINT.refuse(endpoint.as_str(), with_causes(&error)))?;
        let resource = Resource::builder();
        let named = std::env::var_os("OTEL_SERVICE_NAME").is_some_and(|name| !name.is_empty());
        let resource = if named { resource } else { resource.with_service_name(service) };
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build();
        Ok(Self(Some(provider)))
    }

    /// Returns the layer that exports the spans of [`SPANS`], and nothing else: no events, no spans of other crates.
    pub(crate) fn layer<S>(&self) -> Option<impl Layer<S> + Send + Sync + use<S>>
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        let tracer = self.0.as_ref()?.tracer("porthole");
        let ours = filter_fn(|metadata| metadata.is_span() && metadata.target() == SPANS);
        let layer = tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_level(false)
            .with_tracked_inactivity(false);
        Some(layer.with_filter(ours.with_max_level_hint(LevelFilter::INFO)))
    }

    /// Sends the remaining spans. Blocks on the collector, so it must be called last.
    pub fn end(self) {
        if let Some(provider) = self.0
            && let Err(error) = provider.shutdown_with_timeout(END_TIMEOUT)
        {
            tracing::warn!(error = with_causes(&error), "the last spans were not sent");
        }
    }
}

fn endpoint(text: &str) -> Option<Url> {
    let mut url = plain_url(text)?;
    let path = format!("{}/{TRACES_PATH}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Some(url)
}

fn headers_of(list: &SecretString) -> Option<HeaderMap> {
    let header = |item: &str| {
        let (name, value) = item.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::from_str(name.trim()).ok()?, value))
    };
    list.expose_secret().split(',').map(header).collect()
}

/// Sends spans to the collector.
struct Exporter {
    endpoint: Url,
    client: reqwest::Client,
    runtime: Mutex<Runtime>,
    resource: Resource,
    /// Whether the last batch was refused or lost; only changes are logged.
    failing: AtomicBool,
}

impl Exporter {
    fn new(endpoint: Url, headers: HeaderMap) -> Result<Self, std::io::Error> {
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .default_headers(headers)
            .timeout(EXPORT_TIMEOUT)
            .build()
            .map_err(std::io::Error::other)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let resource = Resource::builder_empty().build();
        Ok(Self { endpoint, client, runtime: Mutex::new(runtime), resource, failing: AtomicBool::new(false) })
    }

    async fn send(&self, spans: &[SpanData]) -> Result<(), String> {
        let request = self.client.post(self.endpoint.clone()).json(&otlp::request(&self.resource, spans));
        let answer = request.send().await.map_err(|error| with_causes(&error))?;
        let status = answer.status();
        if status.is_success() { Ok(()) } else { Err(format!("the collector answered {status}")) }
    }

    fn log_change(&self, sent: &Result<(), String>) {
        let failed_before = self.failing.swap(sent.is_err(), Ordering::Relaxed);
        match sent {
            Err(error) if !failed_before => tracing::warn!(error, "spans can't be sent and are lost"),
            Ok(()) if failed_before => tracing::info!("spans are sent again"),
            _ => {}
        }
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        // Blocks the export's own thread, which does nothing else and has no runtime.
        let sent = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).block_on(self.send(&batch));
        self.log_change(&sent);
        sent.map_err(OTelSdkError::InternalFailure)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.resource = resource.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_plain_url_that_gets_the_path_for_spans() {
        for (text, expected) in [
            ("http://127.0.0.1:4318", Some("http://127.0.0.1:4318/v1/traces")),
            ("https://collector.example/otlp/", Some("https://collector.example/otlp/v1/traces")),
            ("http://user:word@collector.example", None),
            ("http://collector.example?key=1", None),
            ("grpc://collector.example", None),
            ("collector.example:4318", None),
        ] {
            assert_eq!(endpoint(text).as_ref().map(Url::as_str), expected, "{text}");
        }
    }

    #[test]
    fn headers_are_a_list_of_names_and_values() {
        let headers = headers_of(&"api-key=a%20b, x-scope=c=d".into()).unwrap();
        assert_eq!((&headers["api-key"], &headers["x-scope"]), (&"a b".parse().unwrap(), &"c=d".parse().unwrap()));
        assert!(!format!("{headers:?}").contains("a b"), "{headers:?}");
        for wrong in ["", "api-key", "api key=1", "api-key=%00"] {
            assert_eq!(headers_of(&wrong.into()), None, "{wrong}");
        }
    }
}
