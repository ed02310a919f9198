//! `porthole extract`.

use std::io::Read as _;
use std::path::Path;

use porthole_client::{CreateResponse, ExtractRequest};
use porthole_contract::{Directive, Directives, ExtractKind, Instruction, TableFormat, Validate as _};
use serde_json::Value;

use super::args::ExtractArgs;
use super::caller::Caller;
use super::failure::Failed;
use super::output;

/// Limit of a map or schema file; the worker accepts no larger body.
const FILE_MAX_BYTES: u64 = 64 * 1024;

pub(crate) async fn run(url: Option<String>, args: ExtractArgs) -> Result<(), Failed> {
    let json = args.json;
    let (instruction, extract) = wanted(&args)?;
    let request = ExtractRequest {
        sandbox_id: "-".to_owned(),
        viewport: args.window.viewport(),
        wait: args.wait.wait(),
        on_timeout: Some(args.wait.on_timeout()),
        timeout_ms: args.wait.timeout,
        max_chars: args.max_chars,
        include_hidden: args.include_hidden,
        offset: args.offset,
        url: args.page,
        instruction,
        extract,
        ..ExtractRequest::default()
    };
    request.validate().map_err(|invalid| Failed::Usage(invalid.to_string()))?;

    let caller = Caller::begin(url, &format!("reading {}", request.url))?;
    let answer = caller
        .in_sandbox(async |sandbox: &CreateResponse| {
            let request = ExtractRequest {
                sandbox_id: sandbox.sandbox_id.clone(),
                owner_token: sandbox.owner_token.clone(),
                ..request.clone()
            };
            caller.client().extract(&request).await
        })
        .await?;
    caller.progress.done();

    caller.warn(&answer.warnings);
    for result in answer.results.iter().skip(1) {
        let warnings: Vec<String> =
            result.warnings.iter().map(|warning| format!("{}: {warning}", result.directive)).collect();
        caller.warn(&warnings);
    }
    if answer.truncated {
        let shown = answer.content.chars().count();
        let more = answer.next_offset.map(|next| format!("; the rest: --offset {next}")).unwrap_or_default();
        caller.progress.note(&format!("truncated: {shown} of {} characters{more}", answer.total_chars));
    }
    if json {
        return output::json(&answer);
    }
    if answer.results.is_empty() {
        return output::text(&answer.content);
    }
    let contents: Vec<&str> = answer.results.iter().map(|result| result.content.as_str()).collect();
    output::text(&contents.join("\n\n"))
}

/// Returns the instruction as typed, or directives when flags such as `--csv` extend it.
fn wanted(args: &ExtractArgs) -> Result<(Option<String>, Option<Directives>), Failed> {
    if let Some(path) = &args.json_map {
        let schema = args.schema.as_deref().map(read_json).transpose()?;
        let directive = Directive { map: Some(read_json(path)?), schema, ..Directive::of(ExtractKind::Json) };
        return Ok((None, Some(Directives::One(Box::new(directive)))));
    }
    if args.frames {
        let directive = Directive { frames: true, ..Directive::default() };
        return Ok((None, Some(Directives::One(Box::new(directive)))));
    }
    if !args.csv {
        return Ok((args.instruction.clone(), None));
    }
    let wanted = Failed::Usage("--csv requires a table: \"table\" or \"table: CSS\"".to_owned());
    let directives = match args.instruction.as_deref() {
        None => vec![Directive::of(ExtractKind::Table)],
        Some(text) => match Instruction::parse(text).map_err(|invalid| Failed::Usage(invalid.to_string()))? {
            Instruction::Directives(directives) => directives,
            Instruction::FreeText => return Err(wanted),
        },
    };
    if directives.iter().any(|directive| directive.kind != ExtractKind::Table) {
        return Err(wanted);
    }
    let directives = directives.into_iter().map(|directive| Directive { format: Some(TableFormat::Csv), ..directive });
    Ok((None, Some(Directives::Many(directives.collect()))))
}

fn read_json(path: &Path) -> Result<Value, Failed> {
    let name = path.display();
    let file: Box<dyn std::io::Read> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(path).map_err(|error| Failed::Usage(format!("can't read {name}: {error}")))?)
    };
    let mut text = String::new();
    file.take(FILE_MAX_BYTES)
        .read_to_string(&mut text)
        .map_err(|error| Failed::Usage(format!("can't read {name}: {error}")))?;
    serde_json::from_str(&text).map_err(|error| Failed::Usage(format!("{name} is not valid JSON: {error}")))
}
