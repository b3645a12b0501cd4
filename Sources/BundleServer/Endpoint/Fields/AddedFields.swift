import BundleStore
import HTTPTypes

/// What an endpoint adds to each response: the fields that the user asked for, and what lets pages of other origins read it.
struct AddedFields: Sendable {
    private let added: HTTPFields
    private let sharing: CrossOriginSharing?

    /// - Parameters:
    ///   - added: For each response that doesn't have a field of that name already; a cookie for each (RFC 6265 §3). Of two of one
    ///     name the later counts.
    ///   - origins: Whose pages may read the responses.
    init(_ added: [HeaderField] = [], sharedWith origins: Set<AllowedOrigin> = []) {
        var fields = HTTPFields()
        for field in added {
            if let name = HTTPField.Name(field.name) { fields[name] = field.value }
        }
        self.added = fields
        sharing = CrossOriginSharing(origins)
    }

    /// The head as it is to be sent. The fields that it has stay, since the bundle's publisher knows better.
    ///
    /// Pure; of a GET or HEAD request only `Origin` has an influence.
    ///
    /// - Parameters:
    ///   - request: What is answered; nil for what isn't a request.
    ///   - isSecure: Whether the connection is TLS. `Strict-Transport-Security` is for no other (RFC 6797 §7.2), whoever set
    ///     it.
    func decorated(_ head: HTTPResponse, for request: HTTPRequest?, isSecure: Bool) -> HTTPResponse {
        var head = head
        // A 304 has few fields, so that it would change those of the response that the client has (RFC 9111 §3.2).
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
