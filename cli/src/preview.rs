//! Draws a picture in the terminal with half blocks: two pixels a character.

use super::output;

/// Draws the picture on standard output if that is a terminal. A picture that can't be drawn is skipped: its file has
/// been written.
pub(crate) fn draw(picture: &[u8]) {
    if !output::is_terminal() {
        return;
    }
    let Ok(image) = image::load_from_memory(picture) else {
        return;
    };
    // Detecting terminals that show real images means querying them, and the reply can end up in the user's shell.
    let config =
        viuer::Config { absolute_offset: false, use_kitty: false, use_iterm: false, ..viuer::Config::default() };
    if let Err(error) = viuer::print(&image, &config) {
        tracing::debug!(%error, "the preview could not be drawn");
    }
}
