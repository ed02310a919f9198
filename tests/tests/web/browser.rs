//! A browser that a person sits before: it opens pages, and moves, presses and types as a person does.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::chromium::Chromium;
use crate::firefox::Firefox;

/// The browsers under test.
pub(crate) enum Browser {
    Chromium(Box<Chromium>),
    Firefox(Box<Firefox>),
}

impl Browser {
    pub(crate) async fn chromium() -> Self {
        Self::Chromium(Box::new(Chromium::start().await))
    }

    /// Debian's Firefox; none where it is not installed.
    pub(crate) async fn firefox() -> Option<Self> {
        Firefox::start().await.map(|firefox| Self::Firefox(Box::new(firefox)))
    }

    pub(crate) async fn open(&self, url: &str) {
        match self {
            Self::Chromium(chromium) => chromium.open(url).await,
            Self::Firefox(firefox) => firefox.open(url).await,
        }
    }

    /// The value of an expression, or what its promise is resolved with.
    pub(crate) async fn evaluate(&self, expression: &str) -> Value {
        match self {
            Self::Chromium(chromium) => chromium.evaluate(expression).await,
            Self::Firefox(firefox) => firefox.evaluate(expression).await,
        }
    }

    /// Does one thing that a person does, or takes a picture; false where this browser can't be told to.
    pub(crate) async fn does(&self, action: &Value) -> bool {
        if action["do"] == "shot" {
            self.shot(action["name"].as_str().unwrap()).await;
            return true;
        }
        match self {
            Self::Chromium(chromium) => chromium.does(action).await,
            Self::Firefox(firefox) => firefox.does(action).await,
        }
    }

    /// Writes a picture of the page, where somebody wants to look: `PORTHOLE_WEB_SHOTS` is a folder.
    pub(crate) async fn shot(&self, name: &str) {
        let Some(folder) = std::env::var_os("PORTHOLE_WEB_SHOTS").map(PathBuf::from) else { return };
        let (of, png) = match self {
            Self::Chromium(chromium) => ("chromium", chromium.picture().await),
            Self::Firefox(firefox) => ("firefox", firefox.picture().await),
        };
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}-{of}.png")), png).unwrap();
    }
}

/// The executable of this name in `PATH`.
pub(crate) fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder: PathBuf| Path::new(&folder).join(program)).find(|file| file.is_file())
}
