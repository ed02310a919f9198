//! Reading settings: the flag, else the variable, else the default.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ArgMatches;
use secrecy::SecretString;

use super::{Environment, Setting, SettingError};

/// Reads settings from flags and environment variables.
#[derive(Default)]
pub struct Reader {
    flags: BTreeMap<&'static str, String>,
    environment: Environment,
}

impl Reader {
    /// Reads environment variables only.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        Self { flags: BTreeMap::new(), environment }
    }

    /// Reads the flags of these settings first.
    #[must_use]
    pub fn with_flags(mut self, settings: &[Setting], matches: &ArgMatches) -> Self {
        for setting in settings.iter().filter(|setting| !setting.secret) {
            if let Some(value) = matches.get_one::<String>(setting.variable) {
                self.flags.insert(setting.variable, value.clone());
            }
        }
        self
    }

    /// The setting's text, or its default; `None` where neither is.
    ///
    /// # Errors
    /// [`SettingError::Wrong`] for a value that is not UTF-8.
    pub fn text(&self, setting: &Setting) -> Result<Option<String>, SettingError> {
        let given = match self.flags.get(setting.variable) {
            Some(flag) if !flag.is_empty() => Some(flag.clone()),
            _ => self.variable(setting, setting.variable)?,
        };
        Ok(given.or_else(|| setting.default.map(str::to_owned)))
    }

    /// The setting as `read` understands it; `read` gives nothing for what is not accepted.
    ///
    /// # Errors
    /// [`SettingError::Wrong`] for what is not accepted.
    pub fn value<T>(&self, setting: &Setting, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, SettingError> {
        let Some(text) = self.text(setting)? else { return Ok(None) };
        read(text.trim()).map(Some).ok_or_else(|| setting.refuse_as_unaccepted(&text))
    }

    /// The setting as `read` understands it, where there is always a value.
    ///
    /// # Errors
    /// [`SettingError::Wrong`] for what is not accepted, [`SettingError::Missing`] for none at all.
    pub fn required<T>(&self, setting: &Setting, read: impl FnOnce(&str) -> Option<T>) -> Result<T, SettingError> {
        self.value(setting, read)?.ok_or_else(|| setting.missing(format!("must be {}", setting.accepted)))
    }

    /// The setting's comma list, each item as `read` understands it; none given is an empty list. Space around an
    /// item and empty items don't count.
    ///
    /// # Errors
    /// [`SettingError::Wrong`] naming the first item that is not accepted.
    pub fn list<T>(&self, setting: &Setting, read: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, SettingError> {
        let text = self.text(setting)?.unwrap_or_default();
        items(&text).map(|item| read(item).ok_or_else(|| setting.refuse_as_unaccepted(item))).collect()
    }

    /// The secret of that setting, from its variable or its file. Space around it doesn't count.
    ///
    /// # Errors
    /// [`SettingError::Twice`], [`SettingError::Unreadable`], and [`SettingError::WrongSecret`] for what is not UTF-8.
    pub fn secret(&self, setting: &Setting) -> Result<Option<SecretString>, SettingError> {
        let file_variable = setting.file_variable();
        let given = self.variable(setting, setting.variable)?;
        let path = self.environment.get(&file_variable).map(PathBuf::from);
        let text = match (given, path) {
            (Some(_), Some(_)) => return Err(SettingError::Twice { variable: setting.variable }),
            (given, None) => given,
            (None, Some(path)) => Some(std::fs::read_to_string(&path).map_err(|source| SettingError::Unreadable {
                variable: setting.variable,
                path,
                source,
            })?),
        };
        Ok(text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).map(SecretString::from))
    }

    fn variable(&self, setting: &Setting, name: &str) -> Result<Option<String>, SettingError> {
        let Some(value) = self.environment.get(name) else { return Ok(None) };
        let text = value.to_str().ok_or_else(|| setting.refuse(value.to_string_lossy(), "must be UTF-8 text"))?;
        Ok(Some(text.to_owned()).filter(|text| !text.trim().is_empty()))
    }
}

/// The items of a comma list, without the space around them and without empty ones.
pub fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    use std::process::ExitCode;

    use clap::Command;

    use secrecy::ExposeSecret as _;

    use super::super::{command_line, flags};
    use super::*;

    const ADDR: Setting = Setting::new("PORTHOLE_WORKER_ADDR", "an IP address and a port, as 127.0.0.1:8787")
        .help("Where callers come")
        .default("127.0.0.1:8787");
    const REGION: Setting = Setting::new("PORTHOLE_BROWSERBASE_REGION", "a region").help("Which region");
    const KEY: Setting = Setting::secret("PORTHOLE_SERVICE_KEY", "32 bytes or more");
    const SETTINGS: &[Setting] = &[ADDR, REGION, KEY];

    fn reader(arguments: &[&str], environment: &[(&str, &str)]) -> Reader {
        let arguments = ["porthole-test"].iter().chain(arguments).map(OsString::from);
        let matches = command_line(Command::new("porthole-test").args(flags(SETTINGS)), arguments).unwrap();
        Reader::new(environment.iter().copied().collect()).with_flags(SETTINGS, &matches)
    }

    fn addr(reader: &Reader) -> Result<std::net::SocketAddr, SettingError> {
        reader.required(&ADDR, |text| text.parse().ok())
    }

    #[test]
    fn a_flag_wins_over_its_variable_and_a_default_fills_in() {
        let variable = [("PORTHOLE_WORKER_ADDR", "127.0.0.1:2")];
        assert_eq!(addr(&reader(&["--worker-addr", "127.0.0.1:1"], &variable)).unwrap().port(), 1);
        assert_eq!(addr(&reader(&[], &variable)).unwrap().port(), 2);
        assert_eq!(addr(&reader(&[], &[])).unwrap().port(), 8787);
        assert_eq!(reader(&[], &[]).text(&REGION).unwrap(), None);
    }

    #[test]
    fn an_empty_value_counts_as_none() {
        let empty = [("PORTHOLE_WORKER_ADDR", ""), ("PORTHOLE_SERVICE_KEY", ""), ("PORTHOLE_SERVICE_KEY_FILE", "")];
        assert_eq!(addr(&reader(&["--worker-addr", ""], &empty)).unwrap().port(), 8787);
        assert!(reader(&[], &empty).secret(&KEY).unwrap().is_none());
    }

    #[test]
    fn a_refusal_names_the_variable_the_value_and_what_is_accepted() {
        let refusal = addr(&reader(&["--worker-addr", "nowhere"], &[])).unwrap_err().to_string();
        assert_eq!(refusal, "PORTHOLE_WORKER_ADDR is \"nowhere\": must be an IP address and a port, as 127.0.0.1:8787");
        let missing = reader(&[], &[]).required(&REGION, |text| Some(text.to_owned())).unwrap_err();
        assert_eq!(missing.to_string(), "PORTHOLE_BROWSERBASE_REGION is not set: must be a region");
    }

    #[test]
    fn a_list_has_its_items_judged_one_by_one() {
        let numbers =
            |text: &str| reader(&["--browserbase-region", text], &[]).list(&REGION, |item| item.parse::<u8>().ok());
        assert_eq!(numbers(" 1, 2,,3 ").unwrap(), [1, 2, 3]);
        assert_eq!(numbers("").unwrap(), Vec::<u8>::new());
        assert!(numbers("1,x,3").unwrap_err().to_string().contains("is \"x\""));
    }

    #[test]
    fn a_secret_comes_from_its_variable_or_its_file_and_is_never_shown() {
        let path = std::env::temp_dir().join(format!("porthole-secret-{}", uuid::Uuid::new_v4()));
        std::fs::write(&path, "from-the-file\r\n").unwrap();
        let file = path.to_str().unwrap();
        let exposed = |environment: &[(&str, &str)]| {
            reader(&[], environment).secret(&KEY).map(|secret| secret.unwrap().expose_secret().to_owned())
        };
        assert_eq!(exposed(&[("PORTHOLE_SERVICE_KEY", "from-the-variable")]).unwrap(), "from-the-variable");
        assert_eq!(exposed(&[("PORTHOLE_SERVICE_KEY_FILE", file)]).unwrap(), "from-the-file");
        let both = exposed(&[("PORTHOLE_SERVICE_KEY", "hidden"), ("PORTHOLE_SERVICE_KEY_FILE", file)]).unwrap_err();
        assert!(matches!(both, SettingError::Twice { .. }) && !both.to_string().contains("hidden"), "{both}");
        std::fs::remove_file(&path).unwrap();
        let gone = exposed(&[("PORTHOLE_SERVICE_KEY_FILE", file)]).unwrap_err().to_string();
        assert!(gone.contains("PORTHOLE_SERVICE_KEY_FILE") && gone.contains(file), "{gone}");
        let refused = KEY.refuse("hidden", "must be 32 bytes or more").to_string();
        assert_eq!(refused, "PORTHOLE_SERVICE_KEY: must be 32 bytes or more (the value is not shown)");
    }

    #[test]
    fn a_value_that_is_not_text_is_refused() {
        let bytes = OsString::from_vec(vec![0xff, b'!']);
        let environment = Environment::from_iter([("PORTHOLE_WORKER_ADDR", bytes.clone()), (KEY.variable, bytes)]);
        let reader = Reader::new(environment);
        assert!(addr(&reader).unwrap_err().to_string().contains("must be UTF-8"));
        let secret = reader.secret(&KEY).unwrap_err().to_string();
        assert!(secret.contains("must be UTF-8") && !secret.contains('!'), "{secret}");
    }

    #[test]
    fn help_shows_flags_variables_and_defaults_but_no_secret() {
        let help = Command::new("porthole-test").args(flags(SETTINGS)).render_long_help().to_string();
        for shown in ["--worker-addr", "PORTHOLE_WORKER_ADDR", "[default: 127.0.0.1:8787]", "--browserbase-region"] {
            assert!(help.contains(shown), "{shown} is missing in {help}");
        }
        assert!(!help.contains("SERVICE_KEY") && !help.contains("service-key"), "{help}");
    }

    #[test]
    fn unknown_flags_are_wrong_and_help_and_version_are_not() {
        let exit = |argument: &str| {
            let command = Command::new("porthole-test").version("1").args(flags(SETTINGS));
            command_line(command, ["porthole-test", argument].map(OsString::from)).unwrap_err()
        };
        assert_eq!(exit("--service-key"), ExitCode::from(64));
        assert_eq!(exit("--nonsense"), ExitCode::from(64));
        assert_eq!(exit("--help"), ExitCode::SUCCESS);
        assert_eq!(exit("--version"), ExitCode::SUCCESS);
    }
}
