import BundleServing
import BundleStore
import HTTPTypes

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
