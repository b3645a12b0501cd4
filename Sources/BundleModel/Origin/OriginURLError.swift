/// A string that isn't a valid origin URL.
public struct OriginURLError: Error, Hashable, Sendable {
    /// Why a URL was refused.
    public enum Reason: Hashable, Sendable, CaseIterable {
        /// Doesn't start with `http://` or `https://`.
        case notHTTP
        /// Has a user name or password before the host.
        case userInformation
        /// Has no host, or one that is neither a name nor an address.
        case host
        /// Has a host name outside ASCII, which requests carry only in its `xn--` form.
        case hostNotASCII
        /// Has a port that isn't a number from 1 to 65535.
        case port
        /// Has a `?` part.
        case query
        /// Has a `#` part.
        case fragment
        /// Has a space or another character that isn't allowed in a URL.
        case character
        /// Has a path with an invalid percent-encoding, or a component that can't be a folder.
        case path
    }

    /// The URL as given.
    public let url: String
    /// Why it was refused.
    public let reason: Reason

    /// Creates an error for `url`.
    public init(url: String, reason: Reason) {
        self.url = url
        self.reason = reason
    }
}

extension OriginURLError: CustomStringConvertible {
    /// One sentence that names the URL and the problem.
    public var description: String {
        "“\(Printable.text(url))” \(explanation)"
    }

    private var explanation: String {
        switch reason {
        case .notHTTP: "is not an http or https URL"
        case .userInformation: "has a user name or password; leave it out"
        case .host: "has no valid host"
        case .hostNotASCII: "has a host outside ASCII; write its “xn--” form"
        case .port: "has a port that is not a number from 1 to 65535"
        case .query: "has a query; leave out “?” and what follows"
        case .fragment: "has a fragment; leave out “#” and what follows"
        case .character: "has a character that must be percent-encoded"
        case .path: "has a path with an empty, “.” or “..” component, or a wrong percent-encoding"
        }
    }
}
