/// One rule of ``NetworkRules``. A value type; safe to share between threads.
package struct NetworkRule: Equatable, Sendable {
    /// The keys of a rule.
    enum Key: String, CaseIterable {
        case match
        case onlyIfMetered
        case strategy
        case timeLimit
        case offline
        case keepDays
        case keepAuthorized
        case userCookies
        case requestFields
        case responseFields
        case connectTo
        case rewrite
        case redirect
        case mock
    }

    /// The longest time for which copies are of use, in days.
    static let maximumKeepDays = 3_650
    /// The longest name of a cookie in bytes.
    static let maximumCookieByteCount = 256

    /// The requests that it applies to.
    package var match = RuleMatch()
    /// Whether it applies only while the link is metered.
    package var isOnlyIfMetered = false
    /// Which of the cache and the network respond.
    package var strategy = RuleStrategy.cacheFirst
    /// With `network-first`, how long the network is waited for while there is a stored response; nil is the server's
    /// default.
    package var timeLimit: Milliseconds?
    /// What is sent of the stored without a network; nil for what HTTP permits.
    package var offline: RuleOffline?
    /// With `always`, for how many days a response is of use; nil for as long as it is stored.
    package var keepDays: Int?
    /// With `always`, whether responses to requests with `Authorization` are kept, and sent to others.
    package var keepsAuthorized = false
    /// With `always`, the names of the cookies that tell users apart; nil for all cookies.
    package var userCookies: [String]?
    /// The edits of the request that goes to the origin.
    package var requestFields = FieldEdit()
    /// The edits of the response that goes to the client; what is stored stays as the origin sent it.
    package var responseFields = FieldEdit()
    /// Where the connection for the origin goes; `Host` and the TLS server name stay those of the origin.
    package var connectTo: ConnectAddress?
    /// The URL that is requested instead.
    package var rewrite: URLRewrite?
    /// The redirect that is sent without asking anyone.
    package var redirect: RuleRedirect?
    /// The response that is sent instead, during development.
    package var mock: RuleMock?

    /// A rule that applies to all requests, and changes nothing.
    package init() {}

    /// Whether no later rule is ever tried for a request that this one matches: it applies whatever the link is, and not
    /// only during development.
    var isUnconditional: Bool { !isOnlyIfMetered && mock == nil }
}

/// What is sent of the stored when the network doesn't respond.
package enum RuleOffline: String, CaseIterable, Sendable {
    /// Nothing.
    case never
    /// Each response that was sent before, also one that HTTP forbids to store.
    case always
}

/// Which of the cache and the network respond to a request that the bundle lacks.
package enum RuleStrategy: String, CaseIterable, Sendable {
    /// Neither: only the bundle, its fallback page, or its offline page.
    case bundleOnly = "bundle-only"
    /// What is stored, if it may be used; otherwise the network.
    case cacheFirst = "cache-first"
    /// The network; what is stored when it doesn't respond, or not in time.
    case networkFirst = "network-first"
    /// What is stored, fresh or not, which is renewed afterwards; otherwise the network.
    case staleWhileRevalidate = "stale-while-revalidate"
    /// The network alone; nothing is stored.
    case networkOnly = "network-only"
    /// What is stored, if it may be used without its origin; otherwise nobody. What is fetched ahead is stored all the same.
    case cacheOnly = "cache-only"
    /// Nobody: the request is refused. A stored response is still sent when the rule applies only on a metered link.
    case block
}

/// A redirect (RFC 9110 §15.4). A value type; safe to share between threads.
package struct RuleRedirect: Equatable, Sendable {
    /// The keys of a redirect.
    enum Key: String, CaseIterable {
        case status
        case to
    }

    /// The statuses that redirect.
    static let statuses: [Int64] = [301, 302, 303, 307, 308]
    /// The longest place in bytes.
    static let maximumByteCount = 2_048

    /// One of 301, 302, 303, 307 and 308.
    package let status: Int
    /// An absolute URL, or a path of the bundle that starts with a slash.
    package let place: String

    /// Returns nil for another status, or when `place` is neither an http or https URL nor a path with a slash at its
    /// start, has over 2,048 bytes, or isn't ASCII.
    package init?(status: Int64, place: String) {
        guard Self.statuses.contains(status), Self.isPlace(place) else { return nil }
        self.status = Int(status)
        self.place = place
    }

    /// Whether `text` may be the place.
    static func isPlace(_ text: String) -> Bool {
        guard text.utf8.count <= maximumByteCount, HTTPSyntax.isFieldValue(text) else { return false }
        guard text.utf8.first == UInt8(ascii: "/") else { return (try? HTTPURL(text)) != nil }
        // Two slashes would start an authority (RFC 3986 §4.2).
        return !text.hasPrefix("//") && (try? HTTPURL("http://a\(text)")) != nil
    }

    /// The field value of `Location`.
    ///
    /// - Parameter root: The path of the bundle's root, as in the request, with a slash at its end.
    package func location(root: String) -> String {
        place.utf8.first == UInt8(ascii: "/") ? root + place.dropFirst() : place
    }
}

/// A response that takes the place of the network's, during development. A value type; safe to share between threads.
package struct RuleMock: Equatable, Sendable {
    /// The keys of a mock.
    enum Key: String, CaseIterable {
        case file
        case content
        case status
        case fields
        case delay
    }

    /// The statuses without content (RFC 9110 §15).
    static let emptyStatuses: Set<Int64> = [204, 205, 304]

    /// The file with the content; nil for none.
    package let file: BundlePath?
    /// The content itself, a string, a list or an object; nil for none.
    package let content: JSONValue?
    /// 200 to 599.
    package let status: Int
    /// Fields besides those of the content.
    package let fields: [HeaderField]
    /// How long the response takes.
    package let delay: Milliseconds?

    /// Returns nil for another status, and for content with a status that has none.
    init?(file: BundlePath?, content: JSONValue?, status: Int64, fields: [HeaderField], delay: Milliseconds?) {
        let isEmpty = file == nil && content == nil
        guard (200...599).contains(status), isEmpty || !Self.emptyStatuses.contains(status) else { return nil }
        self.file = file
        self.content = content
        self.status = Int(status)
        self.fields = fields
        self.delay = delay
    }
}

/// A host, and the port unless it is the origin's, that is connected to for an origin. A value type; safe to share
/// between threads.
package struct ConnectAddress: Hashable, Sendable {
    /// In lower case, an IPv6 address with its brackets.
    package let host: String
    /// Nil for the origin's port.
    package let port: Int?

    /// Reads `host` or `host:port`; nil for anything else.
    package init?(_ text: String) {
        // Each has no port where it is the default of its own scheme.
        guard let url = try? HTTPURL("http://\(text)"), let other = try? HTTPURL("https://\(text)"),
            url.endsWithAuthority
        else { return nil }
        host = url.host
        port = url.port ?? other.port
    }

    /// As it is written.
    package var string: String { port.map { "\(host):\($0)" } ?? host }
}

/// A time in a manifest: whole milliseconds, at most a minute. A value type; safe to share between threads.
package struct Milliseconds: Hashable, Sendable {
    /// The longest time.
    static let maximum: Int64 = 60_000

    /// The number.
    package let count: Int64

    /// Returns nil for less than 1 ms and more than 60,000 ms.
    package init?(_ count: Int64) {
        guard (1...Self.maximum).contains(count) else { return nil }
        self.count = count
    }

    /// The same as a duration.
    package var duration: Duration { .milliseconds(count) }
}
