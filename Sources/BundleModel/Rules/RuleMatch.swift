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

/// What a client fetches something for: a group of the destinations that browsers name in `Sec-Fetch-Dest` (Fetch
/// §2.2.5 “destination”).
package enum RequestKind: String, CaseIterable, Sendable {
    /// A page, in a window or a frame.
    case navigation
    /// A script or a worklet.
    case script
    /// A style sheet.
    case style
    /// An image.
    case image
    /// A font.
    case font
    /// Audio, video, or a text track.
    case media
    /// What a script asks for: `fetch`, `XMLHttpRequest`, `EventSource`, `sendBeacon`.
    case fetch
    /// The script of a worker of any kind.
    case worker
    /// Everything else, and requests of clients that don't say.
    case other

    /// The kind of a destination; any unknown one is ``other``.
    package init(destination: String) {
        self = Self.kinds[destination] ?? .other
    }

    /// `embed` and `object` aren't navigations here, as for offline pages: they mostly show an image or a PDF.
    private static let kinds: [String: RequestKind] = [
        "document": .navigation, "iframe": .navigation, "frame": .navigation, "fencedframe": .navigation,
        "script": .script, "audioworklet": .script, "paintworklet": .script, "json": .script, "text": .script,
        "style": .style, "image": .image, "font": .font,
        "audio": .media, "video": .media, "track": .media,
        "empty": .fetch,
        "worker": .worker, "sharedworker": .worker, "serviceworker": .worker,
    ]
}

/// Media types: one, such as `text/html`, or all of a kind, such as `image/*` (RFC 9110 §12.5.1), without parameters.
/// A value type; safe to share between threads.
package struct MediaRange: Hashable, Sendable {
    /// The longest range in bytes.
    static let maximumByteCount = 128

    /// The range in lower case.
    package let string: String

    /// Returns nil for anything but two tokens with a slash between, of which only the second may be `*`.
    package init?(_ text: String) {
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy(HTTPSyntax.isToken), text.utf8.count <= Self.maximumByteCount,
            !names[0].utf8.contains(UInt8(ascii: "*")), names[1] == "*" || !names[1].utf8.contains(UInt8(ascii: "*"))
        else { return nil }
        string = text.lowercased()
    }

    /// Whether it contains a media type, whose parameters don't count.
    package func contains(_ mediaType: String) -> Bool {
        let essence = mediaType.utf8.prefix { $0 != UInt8(ascii: ";") }.trimmingBlanks
        let text = Substring(essence).lowercased()
        return string.utf8.last == UInt8(ascii: "*") ? text.hasPrefix(string.dropLast()) : text == string
    }
}
