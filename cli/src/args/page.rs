//! Commands that visit a page once: `screenshot`, `extract`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use porthole_client::ImageFormat;
use porthole_contract::limits::{OFFSET_MAX, TEXT_MAX_CHARS};

use super::values::{parse_bytes, parse_page, range};
use super::visit::{WaitArgs, WindowArgs};

/// Take a picture of a page.
///
/// Without --output the picture is written to a file named after the page's host, never over another file, and its
/// path is printed. Warnings go to standard error.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole screenshot https://example.com
  porthole screenshot https://example.com -o page.webp --full-page
  porthole screenshot https://example.com --viewport 1280x720@2 --dark --preview
  porthole screenshot https://example.com --selector 'main > h1' -o - | wc -c
  porthole screenshot https://example.com --json | jq .title")]
pub(crate) struct ScreenshotArgs {
    /// The page: an http or https URL, or only example.com
    #[arg(value_name = "URL", value_parser = parse_page)]
    pub(crate) page: String,
    /// The file to write, - for standard output; its extension selects the format unless --format is given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The whole page instead of the window
    #[arg(long, conflicts_with = "selector")]
    pub(crate) full_page: bool,
    /// One element instead of the window: the first that this CSS selector matches
    #[arg(long, value_name = "CSS")]
    pub(crate) selector: Option<String>,
    #[command(flatten)]
    pub(crate) window: WindowArgs,
    /// The picture's format [default: png]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArg>,
    /// Quality of JPEG and WebP
    #[arg(long, value_name = "1-100", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) quality: Option<u8>,
    /// Ask the page for its dark colours
    #[arg(long)]
    pub(crate) dark: bool,
    /// Ask the page for less motion
    #[arg(long)]
    pub(crate) reduced_motion: bool,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    /// The largest picture, in bytes; a larger one is encoded as JPEG, then cut [default: 1500000]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) max_bytes: Option<u32>,
    /// Draw the picture in the terminal too
    #[arg(long, conflicts_with = "json")]
    pub(crate) preview: bool,
    /// Print the answer as JSON, the picture in it as base64; with -o FILE the picture goes there and the JSON has
    /// its path instead. A failure is printed as JSON too
    #[arg(long)]
    pub(crate) json: bool,
}

/// Read a page: its text, its article, its tables, its links.
///
/// Without an instruction: the text as a reader sees it. An instruction is one directive, or several with ";" between
/// them: article, markdown, html, links, images, metadata, headings, tables, "table: CSS", "selector: CSS",
/// "xpath: ...", "text: ...", "role: button \"Name\"", "testid: ...", "all: CSS", "json: {...}".
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole extract https://example.com
  porthole extract https://example.com article > article.md
  porthole extract https://example.com 'selector: main'
  porthole extract https://example.com 'table: #prices' --csv > prices.csv
  porthole extract https://example.com links | jq -r '.[].url'
  porthole extract https://example.com --json-map fields.json | jq .price
  porthole extract https://example.com --max-chars 500 --json | jq -r .content")]
pub(crate) struct ExtractArgs {
    /// The page: an http or https URL, or only example.com
    #[arg(value_name = "URL", value_parser = parse_page)]
    pub(crate) page: String,
    /// What to read, such as article or "selector: CSS"
    pub(crate) instruction: Option<String>,
    /// A table as comma-separated values
    #[arg(long)]
    pub(crate) csv: bool,
    /// Read values by a JSON file that maps each field to where its value is, such as {"price": ".price | number"};
    /// "-" reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["instruction", "csv"])]
    pub(crate) json_map: Option<PathBuf>,
    /// Check the values against the JSON Schema in this file; mismatches are warnings
    #[arg(long, value_name = "FILE", requires = "json_map")]
    pub(crate) schema: Option<PathBuf>,
    /// Include the text of the page's frames
    #[arg(long, conflicts_with_all = ["instruction", "csv", "json_map"])]
    pub(crate) frames: bool,
    /// Include text that a reader can't see in articles, Markdown, HTML, tables and values
    #[arg(long)]
    pub(crate) include_hidden: bool,
    /// Continue a truncated answer from this character on
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(range(0, OFFSET_MAX)))]
    pub(crate) offset: Option<u32>,
    /// The longest text, in characters; a longer one is cut [default: 20000]
    #[arg(long, value_name = "1-20000", value_parser = clap::value_parser!(u32).range(range(1, TEXT_MAX_CHARS)))]
    pub(crate) max_chars: Option<u32>,
    #[command(flatten)]
    pub(crate) window: WindowArgs,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    /// Print the answer, or the failure, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// An image format on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormatArg {
    /// Lossless
    Png,
    /// Lossy, smallest for photographs
    #[value(alias = "jpg")]
    Jpeg,
    /// Lossy, smaller than JPEG at the same quality
    Webp,
}

impl From<FormatArg> for ImageFormat {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Png => ImageFormat::Png,
            FormatArg::Jpeg => ImageFormat::Jpeg,
            FormatArg::Webp => ImageFormat::Webp,
        }
    }
}
