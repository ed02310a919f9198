//! An error with its causes, as one text.

/// Returns an error's message followed by those of its causes, for one field of a line.
#[must_use]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_shown_with_its_causes() {
        #[derive(Debug, thiserror::Error)]
        #[error("no connection")]
        struct NoConnection(#[source] std::io::Error);
        assert_eq!(with_causes(&NoConnection(std::io::Error::other("refused"))), "no connection: refused");
    }
}
