//! `porthole completions` and `porthole man`, generated from the definition that parses the arguments.

use std::io;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use super::args::Cli;
use super::failure::Failed;
use super::output;

/// Prints a shell's completion script.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<(), Failed> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "porthole", &mut script);
    output::bytes(&script)
}

/// Prints the man page.
pub(crate) fn man() -> Result<(), Failed> {
    let page = page(Cli::command()).map_err(|error| Failed::io("make the man page", error))?;
    output::bytes(&page)
}

/// Renders one page: the main command, then a section with synopsis, description and options for each subcommand.
fn page(mut command: Command) -> io::Result<Vec<u8>> {
    command.build();
    let mut page = Vec::new();
    let main = Man::new(command.clone());
    main.render_title(&mut page)?;
    main.render_name_section(&mut page)?;
    main.render_synopsis_section(&mut page)?;
    main.render_description_section(&mut page)?;
    main.render_options_section(&mut page)?;
    for command in command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help") {
        page.extend_from_slice(section(command)?.as_bytes());
    }
    page.extend_from_slice(extra(&main, "NOTES")?.as_bytes());
    main.render_version_section(&mut page)?;
    Ok(page)
}

fn section(command: &Command) -> io::Result<String> {
    let name = command.get_name().to_uppercase();
    let man = Man::new(command.clone().disable_help_flag(true));
    let mut parts = Vec::new();
    man.render_synopsis_section(&mut parts)?;
    man.render_description_section(&mut parts)?;
    man.render_options_section(&mut parts)?;
    parts.extend_from_slice(extra(&man, "EXAMPLES")?.as_bytes());
    // The headings of a subcommand are one level lower.
    let parts = String::from_utf8_lossy(&parts).replace(".SH ", ".SS ");
    Ok(format!(".SH \"PORTHOLE {name}\"\n{parts}"))
}

/// Renders the text after the help, such as examples, under `heading`.
fn extra(man: &Man, heading: &str) -> io::Result<String> {
    let mut part = Vec::new();
    man.render_extra_section(&mut part)?;
    Ok(String::from_utf8_lossy(&part).replace(".SH EXTRA", &format!(".SH {heading}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_covers_every_command_and_its_flags() {
        let page = String::from_utf8(page(Cli::command()).unwrap()).unwrap();
        for expected in [
            "PORTHOLE UP",
            "PORTHOLE SCREENSHOT",
            "PORTHOLE EXTRACT",
            "PORTHOLE METRICS",
            "full\\-page",
            ".SS EXAMPLES",
        ] {
            assert!(page.contains(expected), "{expected} is not in\n{page}");
        }
        assert_eq!(page.matches(".SH NAME").count(), 1);
    }
}
