//! The site's replies: a status, headers, and a body that is sent at once, late, slowly or never.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{HeaderName, HeaderValue, StatusCode, header};

/// One reply of the site.
#[derive(Clone, Debug)]
pub struct Reply {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    /// All at once.
    Whole(Bytes),
    /// All at once, after a delay.
    Late(Duration, Bytes),
    /// Never, not even the head.
    Never,
    /// One byte per second.
    Dripping(Bytes),
    /// At once, but the body never ends.
    Held(Bytes),
    /// The same chunk repeated.
    Repeated { chunk: Bytes, times: usize },
}

impl Reply {
    /// Returns a reply with this content type and body.
    ///
    /// # Panics
    /// When the content type is not a valid header value.
    #[must_use]
    pub fn of(content_type: &str, body: impl Into<Bytes>) -> Self {
        Self { status: StatusCode::OK, headers: Vec::new(), content: Content::Whole(body.into()) }
            .header(header::CONTENT_TYPE.as_str(), content_type)
    }

    /// Returns an HTML page.
    #[must_use]
    pub fn html(html: &str) -> Self {
        Self::of("text/html; charset=utf-8", html.to_owned())
    }

    /// Returns plain text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::of("text/plain; charset=utf-8", text.to_owned())
    }

    /// Returns a redirect with this status.
    #[must_use]
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::text("").status(status).header(header::LOCATION.as_str(), location)
    }

    /// Returns a reply that is never sent; the request is read.
    #[must_use]
    pub fn never() -> Self {
        Self { content: Content::Never, ..Self::text("") }
    }

    /// Returns 100 MB of HTML.
    #[must_use]
    pub fn hundred_megabytes() -> Self {
        let chunk = Bytes::from("<p>All work and no play makes a dull page.</p>\n".repeat(1000));
        let times = 100_000_000 / chunk.len() + 1;
        Self { content: Content::Repeated { chunk, times }, ..Self::html("") }
    }

    /// Sets the status.
    ///
    /// # Panics
    /// When it is not an HTTP status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = StatusCode::from_u16(status).expect("a status");
        self
    }

    /// Adds a header.
    ///
    /// # Panics
    /// When it is not a valid header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::try_from(name).expect("a header's name");
        self.headers.push((name, HeaderValue::try_from(value).expect("a header's value")));
        self
    }

    /// Delays the reply.
    #[must_use]
    pub fn late(self, delay: Duration) -> Self {
        let content = Content::Late(delay, self.bytes());
        Self { content, ..self }
    }

    /// Sends the body at one byte per second.
    #[must_use]
    pub fn dripping(self) -> Self {
        let content = Content::Dripping(self.bytes());
        Self { content, ..self }
    }

    /// Sends the body at once but never ends it.
    #[must_use]
    pub fn held(self) -> Self {
        let content = Content::Held(self.bytes());
        Self { content, ..self }
    }

    fn bytes(&self) -> Bytes {
        match &self.content {
            Content::Whole(bytes) | Content::Late(_, bytes) | Content::Dripping(bytes) | Content::Held(bytes) => {
                bytes.clone()
            }
            Content::Never => Bytes::new(),
            Content::Repeated { chunk, .. } => chunk.clone(),
        }
    }

    pub(super) async fn respond(self) -> Response {
        let body = match self.content {
            Content::Whole(bytes) => Body::from(bytes),
            Content::Late(delay, bytes) => {
                tokio::time::sleep(delay).await;
                Body::from(bytes)
            }
            Content::Never => std::future::pending().await,
            Content::Dripping(bytes) => Body::from_stream(stream::iter(bytes).then(async |byte| {
                tokio::time::sleep(Duration::from_secs(1)).await;
                Ok::<_, Infallible>(Bytes::copy_from_slice(&[byte]))
            })),
            Content::Held(bytes) => {
                Body::from_stream(stream::iter([Ok::<_, Infallible>(bytes)]).chain(stream::pending()))
            }
            Content::Repeated { chunk, times } => {
                Body::from_stream(stream::iter(std::iter::repeat_n(Ok::<_, Infallible>(chunk), times)))
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        for (name, value) in self.headers {
            response.headers_mut().append(name, value);
        }
        response
    }
}
