//! Gives files to a file input, with the events that follow a person's choice.

use std::fmt;

use porthole_contract::session::UploadFile;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::Instant;

use super::actionable::Tries;
use crate::page::Page;
use crate::page::interact::acted::{Acted, Method};
use crate::page::interact::error::unless_held;
use crate::page::interact::quiet::Quiet;
use crate::page::interact::{ActError, Element};
use crate::page::media_type::media_type;

/// A file to give.
#[derive(Clone, Deserialize, Serialize)]
pub struct File {
    /// Its name, without a folder.
    pub name: String,
    /// Its type, as `text/plain`; may be empty.
    pub mime_type: String,
    /// What is in it, as standard base64.
    pub content_base64: String,
}

#[derive(Deserialize)]
struct Given {
    what: String,
    count: usize,
    /// Whether it is no field for files, and may ask for them when it is clicked.
    #[serde(default)]
    asks: bool,
    /// Whether it is a field that no one sees, so that only the page can show what came of it.
    #[serde(default)]
    unseen: bool,
}

impl Page {
    /// Gives files to a file input, hidden or not, or to the one that the element is a label or wrapper of, or that asks for
    /// them when it is clicked. The field is waited for until `deadline`; giving it 10 MB may take until `given_until`.
    ///
    /// # Errors
    /// [`ActError::Invalid`] where it takes no files or only one; [`ActError::NotEnabled`]; [`ActError::NoEffect`].
    pub async fn upload(
        &self,
        element: &Element,
        files: &[File],
        deadline: Instant,
        given_until: Instant,
    ) -> Result<Acted, ActError> {
        self.or_stale(element, self.upload_to(element, files, deadline, given_until).await).await
    }

    async fn upload_to(
        &self,
        element: &Element,
        files: &[File],
        deadline: Instant,
        given_until: Instant,
    ) -> Result<Acted, ActError> {
        let mut quiet = Quiet::watch(self, &element.frame);
        let mut tries = Tries::until(deadline).with_calls_until(given_until);
        quiet.count_changes().await?;
        quiet.begins();
        let answer = self.call_until_ready(element, "upload", &json!(files), &mut tries).await;
        let Some(given) = unless_held::<Given>(answer)? else {
            return Ok(Acted::new(quiet.settle(None).await?, Method::Dom, None));
        };
        if given.asks {
            drop(quiet);
            return self.upload_by_click(element, files, deadline).await;
        }
        // A page may take them and empty its input for the next ones: then it shows what came of them.
        let is_emptied = given.count != files.len();
        if is_emptied {
            tracing::debug!(input = given.what, "a file input holds another number of files than it was given");
        }
        let rest = quiet.rest().await?;
        let acted = Acted::new(quiet.settle(rest).await?, Method::Dom, None);
        Ok(if given.unseen || is_emptied { acted.warns_of_no_change() } else { acted })
    }
}

impl From<&UploadFile> for File {
    fn from(file: &UploadFile) -> Self {
        Self {
            name: file.name.clone(),
            mime_type: file.mime_type.clone().or_else(|| media_type(&file.name).map(str::to_owned)).unwrap_or_default(),
            content_base64: file.content_base64.clone(),
        }
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, mime_type, content_base64 } = self;
        let base64_bytes = content_base64.len();
        f.debug_struct("File")
            .field("name", name)
            .field("mime_type", mime_type)
            .field("base64_bytes", &base64_bytes)
            .finish()
    }
}
