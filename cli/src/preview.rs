//! A picture drawn in the terminal, in half blocks: two pixels a character.

use super::output;

/// Draws the picture on standard output if that is a terminal. A picture that can't be drawn is none: the file is
/// there all the same.
pub(crate) fn draw(picture: &[u8]) {
    if !output::is_terminal() {
        return;
    }
    let Ok(image) = image::load_from_memory(picture) else {
        return;
    };
    // Terminals that could show real pictures must be asked first, and their answer can end up in the user's shell.
    let config =
        viuer::Config { absolute_offset: false, use_kitty: false, use_iterm: false, ..viuer::Config::default() };
    if let Err(error) = viuer::print(&image, &config) {
        tracing::debug!(%error, "no preview");
    }
}
