import BundleServing
import BundleStore
import HTTPTypes

/// The fields that an endpoint adds to each response: the configured ones, and those that let pages of other origins
/// read it.
struct AddedFields: Sendable {
    private let added: HTTPFields
    private let sharing: CrossOriginSharing?

    /// - Parameters:
    ///   - added: Fields for each response that has none of that name; a cookie is added to every response (RFC 6265
    ///     §3). Of two with the same name the later one counts.
    ///   - origins: The origins whose pages may read the responses.
    init(_ added: [HeaderField] = [], sharedWith origins: Set<AllowedOrigin> = []) {
        var fields = HTTPFields()
        for field in added {
            if let name = HTTPField.Name(field.name) { fields[name] = field.value }
        }
        self.added = fields
        sharing = CrossOriginSharing(origins)
    }

    /// The head as it is to be sent. Its own fields are kept, since the bundle's publisher takes precedence.
    ///
    /// Pure; of a GET or HEAD request only `Origin` has an influence.
    ///
    /// - Parameters:
    ///   - request: The request; nil for a malformed one.
    ///   - isSecure: Whether the connection is TLS. On other connections `Strict-Transport-Security` is removed,
    ///     whatever its source (RFC 6797 §7.2).
    func decorated(_ head: HTTPResponse, for request: HTTPRequest?, isSecure: Bool) -> HTTPResponse {
        var head = head
        // The fields of a 304 replace those of the stored response (RFC 9111 §3.2), so none are added.
        if head.status != .notModified {
            for field in added where field.name == .setCookie || !head.headerFields.contains(field.name) {
                head.headerFields.append(field)
            }
        }
        if !isSecure { head.headerFields[.strictTransportSecurity] = nil }
        if let request, let sharing { sharing.decorate(&head.headerFields, for: request) }
        return head
    }
}

/// Lets pages of other origins read the responses (Fetch standard, “CORS protocol”), without credentials.
struct CrossOriginSharing: Sendable {
    /// The fields that scripts may read besides the safelisted ones (Fetch standard, “CORS-safelisted response-header
    /// name”). Names instead of `*`, which older web views don't support.
    static let exposedFields = "Accept-Ranges, Cache-Status, Content-Encoding, Content-Range, Date, ETag"
    /// How long a preflight is valid, in seconds: Chromium's maximum.
    static let maximumAge = "7200"

    private let allowsAny: Bool
    private let origins: Set<AllowedOrigin>

    /// Returns nil when no origin is allowed.
    init?(_ origins: Set<AllowedOrigin>) {
        guard !origins.isEmpty else { return nil }
        allowsAny = origins.contains(.any)
        self.origins = origins
    }

    /// Adds the fields for the request's origin. For GET and HEAD requests only `Origin` counts.
    func decorate(_ fields: inout HTTPFields, for request: HTTPRequest) {
        guard fields[.accessControlAllowOrigin] == nil else { return }
        // Also for a request without an origin: a cache must not reuse its response for a request with one.
        if !allowsAny { Self.vary(&fields) }
        guard let value = allowedValue(for: request.headerFields[.origin]) else { return }
        fields[.accessControlAllowOrigin] = value
        if Self.isPreflight(request) {
            Self.permit(request, &fields)
        } else {
            fields[.accessControlExposeHeaders] = Self.exposedFields
        }
    }

    private func allowedValue(for origin: String?) -> String? {
        if allowsAny { return "*" }
        guard let origin, origins.contains(.named(origin)) else { return nil }
        return origin
    }

    /// Whether the request is a preflight (Fetch standard, “CORS-preflight request”).
    private static func isPreflight(_ request: HTTPRequest) -> Bool {
        request.method == .options && request.headerFields[.origin] != nil
            && request.headerFields[.accessControlRequestMethod] != nil
    }

    private static func permit(_ request: HTTPRequest, _ fields: inout HTTPFields) {
        fields[.accessControlAllowMethods] = Responder.allowedMethods
        fields[.accessControlMaxAge] = maximumAge
        if let names = request.headerFields[.accessControlRequestHeaders], isNameList(names) {
            fields[.accessControlAllowHeaders] = names
        }
        // A page of a public site that requests from this machine (https://wicg.github.io/private-network-access).
        if request.headerFields[.accessControlRequestPrivateNetwork] == "true" {
            fields[.accessControlAllowPrivateNetwork] = "true"
        }
    }

    private static func isNameList(_ text: String) -> Bool {
        text.split(separator: ",").allSatisfy { element in
            let names = element.split(separator: " ")
            return names.count == 1 && names.allSatisfy(HTTPSyntax.isToken)
        }
    }

    private static func vary(_ fields: inout HTTPFields) {
        let names = fields[.vary] ?? ""
        let isThere = names.split(separator: ",").contains { name in
            ["*", "origin"].contains(name.filter { $0 != " " }.lowercased())
        }
        if !isThere { fields[.vary] = names.isEmpty ? "Origin" : names + ", Origin" }
    }
}

extension HTTPField.Name {
    /// WICG Private Network Access.
    static let accessControlAllowPrivateNetwork = HTTPField.Name("Access-Control-Allow-Private-Network")!
}

/// An origin whose pages may read an endpoint's responses (Fetch standard, “CORS protocol”).
///
/// A value type; safe to share between threads.
public enum AllowedOrigin: Sendable, Hashable {
    /// Every origin.
    case any
    /// One origin, as a browser sends it in `Origin`: `https://app.example`, `capacitor://localhost`, or `null` for
    /// pages from files and sandboxed frames.
    case named(String)

    /// Parses an origin (a scheme and a host with an optional port), `null`, or `*` for any. Case and a default port
    /// are ignored. Returns nil for anything else.
    public init?(_ text: String) {
        let text = text.lowercased()
        if text == "*" {
            self = .any
        } else if text == "null" {
            self = .named(text)
        } else if let url = try? HTTPURL(text) {
            guard url.path.isEmpty, !url.hasQuery, !url.hasFragment else { return nil }
            self = .named("\(url.scheme.rawValue)://\(url.host)" + (url.port.map { ":\($0)" } ?? ""))
        } else if let separator = text.firstRange(of: "://"), Self.isAppScheme(text[..<separator.lowerBound]),
            let url = try? HTTPURL("http" + text[separator.lowerBound...]),
            url.path.isEmpty, !url.hasQuery, !url.hasFragment
        {
            self = .named(text)
        } else {
            return nil
        }
    }

    /// Whether it is a scheme (RFC 3986 §3.1) other than HTTP's, as apps use for their own pages.
    private static func isAppScheme(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter, text != "http", text != "https" else {
            return false
        }
        return text.utf8.allSatisfy { HTTPSyntax.isTokenByte($0) && !"!#$%&'*^_`|~".utf8.contains($0) }
    }
}

extension HeaderField {
    /// The fields that make pages cross-origin isolated (HTML standard, “Cross-origin isolation”), so that they have
    /// `SharedArrayBuffer` and exact clocks: content of other origins is loaded only with its consent.
    public static let crossOriginIsolation = [
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Embedder-Policy", "require-corp"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ].compactMap { HeaderField(name: $0.0, value: $0.1) }
}
