//! Files for an element that is no field: it is clicked, and the file input whose chooser opens gets them. No chooser is
//! drawn meanwhile.

use porthole_contract::WarningCode;
use tokio::time::{Instant, sleep_until};

use super::click::Click;
use super::upload::File;
use crate::cdp::CdpError;
use crate::page::chooser::{Asking, Interception, Opened};
use crate::page::interact::acted::{Acted, Terms};
use crate::page::interact::quiet::Quiet;
use crate::page::interact::{ActError, Element};
use crate::page::{Page, PageError};

impl Page {
    /// Clicks an element, and gives files to the file input that asks for them then.
    pub(super) async fn upload_by_click(
        &self,
        element: &Element,
        files: &[File],
        deadline: Instant,
    ) -> Result<Acted, ActError> {
        let session = element.frame.session();
        let (_interception, mut choosers) = Interception::begin(session, session.is_same(&self.session));
        let mut acted = self.click(element, &Click::once(Terms::until(deadline))).await?;
        if acted.settled.navigated {
            return Err(ActError::NoEffect("the click that should ask for files opened another page".to_owned()));
        }
        let opened = tokio::select! {
            biased;
            opened = choosers.next() => opened,
            dialog = self.dialog_opens() => return Err(ActError::Dialog(dialog?)),
            () = sleep_until(deadline) => None,
        };
        let opened = opened.map(|event| event.read::<Opened>()).transpose().map_err(PageError::from)?;
        let Some(opened) = opened.filter(Opened::is_of_input) else {
            return Err(ActError::NoEffect(
                "it is no field for files, and a click on it asked for none: name the field, or click what shows it"
                    .to_owned(),
            ));
        };
        let mut quiet = Quiet::watch(self, &element.frame);
        quiet.count_changes().await?;
        quiet.begins();
        let asking = opened.asking(session).await.map_err(PageError::from)?;
        let asking = asking.ok_or_else(|| ActError::NoEffect("the field that asked for files is gone".to_owned()))?;
        give(asking, files).await?;
        let rest = quiet.rest().await?;
        acted.settled = quiet.settle(rest).await?;
        acted.warnings.retain(|warning| warning.code != WarningCode::NoChange);
        Ok(acted)
    }
}

/// Gives files to the input that asks. One that takes fewer is told that none were chosen.
async fn give(asking: Asking, files: &[File]) -> Result<(), ActError> {
    let given = async {
        let fits = asking.takes().await?.multiple || files.len() <= 1;
        asking.answer(if fits { files } else { &[] }).await?;
        Ok::<_, CdpError>(fits)
    };
    let given = given.await.map_err(PageError::from);
    asking.release();
    match given? {
        true => Ok(()),
        false => Err(ActError::Invalid("the field that it asks with takes one file".to_owned())),
    }
}
