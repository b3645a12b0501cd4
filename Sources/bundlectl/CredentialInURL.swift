import BundleStore

/// The refusal of a URL with a user or a password, which isn't shown again.
enum CredentialInURL {
    /// What is said in place of the parser's refusal of a value; nil when the value is no such URL.
    static func refusal(in message: String) -> String? {
        guard
            let match = message.firstMatch(
                of: /^The value '([a-zA-Z][a-zA-Z0-9+.-]*:\/\/)([^\/?#]*@)(.*)' is invalid for '(.*)'$/
            )
        else { return nil }
        let (scheme, rest, option) = (match.output.1, match.output.3, match.output.4)
        let beginning =
            "The value '\(scheme)…@\(rest)' is invalid for '\(option)': leave out what is before the @, which "
        // Who gets events isn't a feed.
        guard !option.hasPrefix("--webhook") else { return beginning + "every user of this machine can read" }
        return beginning
            + "every user of this machine can read, and give it in a netrc file, by --netrc-file FILE or NETRC"
    }
}
