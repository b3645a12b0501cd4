/// A response header field that a manifest adds: a name that it may set and a value that is safe to send.
/// A value type; safe to share between threads.
public struct HeaderField: Hashable, Sendable {
    /// The name as written; HTTP compares names case-insensitively.
    public let name: String
    /// The value: printable ASCII, without white space at its ends.
    public let value: String

    /// Returns nil when `name` isn't a token (RFC 9110 §5.1) or is a field that the server itself sets, or when `value`
    /// has a control character, a character outside ASCII, or white space at an end (RFC 9110 §5.5).
    public init?(name: String, value: String) {
        guard HTTPSyntax.isToken(name), !HeaderField.isReserved(name), HTTPSyntax.isFieldValue(value) else {
            return nil
        }
        self.name = name
        self.value = value
    }

    /// Whether `name` is a field that the server itself sets.
    package static func isReserved(_ name: String) -> Bool {
        reservedNames.contains(name.lowercased())
    }

    /// The first group frames messages and belongs to one connection (RFC 9110 §7.6.1, RFC 9112 §6): setting it would
    /// break the response's framing. The second describes the sent bytes, which only the server knows; `Vary` follows
    /// from the codings that it chose, and a media type is set under `mediaTypes`. The third group is guaranteed by the
    /// product.
    static let reservedNames = framingNames.union([
        "accept-ranges", "content-encoding", "content-range", "content-type", "date", "etag", "last-modified", "vary",
        "age", "cache-status", "x-content-type-options",
    ])

    static let framingNames: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "content-length",
    ]
}

/// Header fields for the responses whose path a pattern covers. A value type; safe to share between threads.
public struct HeaderRule: Equatable, Sendable {
    /// The paths that the rule applies to.
    public let pattern: PathPattern
    /// The fields, ordered case-insensitively by name. No name appears twice.
    public let fields: [HeaderField]

    /// Sets `fields` where `pattern` matches. If two fields have the same name, the later one is kept.
    public init(pattern: PathPattern, fields: [HeaderField]) {
        self.pattern = pattern
        self.fields = HeaderRule.merged([fields])
    }

    /// The rule with only the fields that a bundle may set.
    var withoutOriginWideFields: HeaderRule {
        HeaderRule(pattern: pattern, fields: fields.filter { !OriginWideField.isRefused(inManifest: $0.name) })
    }

    /// One rule for each pattern, ordered from the general pattern to the specific.
    static func ordered(_ rules: [HeaderRule]) -> [HeaderRule] {
        Dictionary(grouping: rules, by: \.pattern)
            .map { HeaderRule(pattern: $0, fields: Array($1.map(\.fields).joined())) }
            .sorted { $0.pattern < $1.pattern }
    }

    /// The fields of all `lists`, ordered by name; a later field replaces an earlier one of the same name.
    static func merged(_ lists: [[HeaderField]]) -> [HeaderField] {
        var fields: [String: HeaderField] = [:]
        for field in lists.joined() { fields[field.name.lowercased()] = field }
        return fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
    }
}

/// Response fields whose effect reaches beyond the response: to everything on its origin or host, or to later requests.
/// A bundle serves only a part of its host, so neither its manifest nor its origins may set them. Where it is alone on
/// its host, an origin may set those of ``hostNames``.
///
/// `Reporting-Endpoints` isn't among them: it applies only to its own document (W3C Reporting API §3.2). Nor is
/// `Set-Cookie`: it is confined when it comes from an origin, and never sent for a manifest.
package enum OriginWideField {
    /// The names, in lower case.
    package static let names: Set<String> = [
        // Whether a service worker may control pages outside its own folder, and what a browser deletes for the whole
        // origin (W3C Service Workers §6.2, W3C Clear Site Data).
        "service-worker-allowed", "clear-site-data",
        // Alternative services of the origin (RFC 7838), and where browsers report observations about the host (W3C
        // Network Error Logging; the first Reporting API).
        "alt-svc", "nel", "report-to",
        // TLS only, including other ports (RFC 6797 §7.2), and only with certain certificates (RFC 7469, RFC 9163).
        "strict-transport-security", "public-key-pins", "public-key-pins-report-only", "expect-ct",
        // A cookie of RFC 2965, and the origin's login state and sessions (FedCM; Device Bound Session Credentials).
        "set-cookie2", "set-login", "sec-session-registration", "secure-session-registration",
    ]

    /// Those of ``names`` that concern nothing but the one host: a worker's scope, what a browser deletes, a cookie that
    /// no browser takes any more, a login state, and pins, which a browser notes only if they are those of the very
    /// connection (RFC 7469 §2.5). The others concern other ports and subdomains too, or are about how the origin itself
    /// is reached.
    static let hostNames: Set<String> = [
        "service-worker-allowed", "clear-site-data", "set-cookie2", "set-login", "public-key-pins",
        "public-key-pins-report-only",
    ]

    /// Whether an origin's field of this name is left out.
    ///
    /// - Parameters:
    ///   - name: In lower case.
    ///   - ownsHost: Whether the bundle has the host for itself.
    package static func isRefused(fromOrigin name: String, ownsHost: Bool) -> Bool {
        names.contains(name) && !(ownsHost && hostNames.contains(name))
    }

    /// Whether a manifest's field of this name is left out.
    package static func isRefused(inManifest name: String) -> Bool {
        let name = name.lowercased()
        return names.contains(name) || name == "set-cookie"
    }
}
