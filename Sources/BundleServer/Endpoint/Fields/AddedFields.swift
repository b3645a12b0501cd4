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
