//! The `porthole` command. Everything it does lives in `cli`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
