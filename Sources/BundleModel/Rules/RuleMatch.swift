/// The requests that a rule applies to: every condition that is given must be met, by one of its values. Without
/// conditions, all requests.
///
/// A value type; safe to share between threads.
package struct RuleMatch: Equatable, Sendable {
    /// The keys of `match`.
    enum Key: String, CaseIterable {
        case path
        case suffix
        case mediaType
        case kind
        case method
    }

    /// The largest number of values of one condition.
    static let maximumValueCount = 16
    /// The longest suffix in bytes.
    static let maximumSuffixByteCount = 64

    /// Patterns for the path in the bundle, or for the URL.
    package var paths: [URLPattern] = []
    /// Ends of the path's last component, in lower case; compared without regard to the case of ASCII letters.
    package var suffixes: [String] = []
    /// The media types of the response.
    package var mediaTypes: [MediaRange] = []
    /// What the browser fetches it for.
    package var kinds: [RequestKind] = []
    /// The methods; `GET` includes `HEAD`.
    package var methods: [String] = []

    /// All requests.
    package init() {}

    /// Whether every request is meant.
    var coversEverything: Bool {
        suffixes.isEmpty && mediaTypes.isEmpty && kinds.isEmpty && methods.isEmpty
            && (paths.isEmpty || paths.contains { $0.coversEverything })
    }

    /// Whether a request is meant, as far as that can be said before there is a response.
    ///
    /// - Parameter kind: What the client fetches it for.
    package func matches(method: String, kind: RequestKind, _ subject: PatternSubject) -> Bool {
        (methods.isEmpty || methods.contains(method == "HEAD" ? "GET" : method) || methods.contains(method))
            && (kinds.isEmpty || kinds.contains(kind))
            && (suffixes.isEmpty || suffixes.contains { subject.hasSuffix($0) })
            && (paths.isEmpty || paths.contains { $0.covers(subject) })
    }

    /// Whether a response of this type is meant; nil is a response without a media type.
    package func matches(mediaType: String?) -> Bool {
        mediaTypes.isEmpty || mediaType.map { type in mediaTypes.contains { $0.contains(type) } } ?? false
    }
}
