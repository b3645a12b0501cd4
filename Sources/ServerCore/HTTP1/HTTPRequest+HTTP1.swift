import HTTPCore
import HTTPTypes

extension HTTPRequest {
    /// A request with all its fields, as it was sent: in origin-form the target is `path`, the `Host` is `authority`,
    /// and `scheme` is nil; in absolute-form the target's own scheme and host count (RFC 9112 §3.2.2).
    ///
    /// - Parameter bytes: The bytes that `head` was scanned from.
    /// - Throws: ``/BundleServing/MalformedRequest`` when the `Host` isn't valid, the target has none of the four
    ///   forms, or the method isn't a token.
    init(_ head: RequestHead, in bytes: UnsafeRawBufferPointer) throws(MalformedRequest) {
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let host = head.host.map(text)
        guard host.map(HostField.isValid) ?? true else { throw .host }
        guard let method = Method(text(head.methodToken)) else { throw .syntax }
        var fields = HTTPFields()
        head.forEachField(in: bytes) { name, value in
            // As it is: a value need not be UTF-8 (RFC 9110 §5.5).
            if let name = HTTPField.Name(text(name)) {
                fields.append(HTTPField(name: name, lenientValue: bytes[value]))
            }
        }
        // It becomes the authority.
        fields[.host] = nil
        let (path, authority) = (text(head.target), host.flatMap { $0.isEmpty ? nil : $0 })
        // Neither `*` (RFC 9112 §3.2.4) nor CONNECT's host and port (§3.2.3) is a URL.
        if path.hasPrefix("/") || path == "*" || method == .connect {
            self.init(method: method, scheme: nil, authority: authority, path: path, headerFields: fields)
        } else if let target = RequestTarget(url: path) {
            self.init(
                method: method,
                scheme: target.scheme,
                authority: target.authority,
                path: target.path + target.query,
                headerFields: fields
            )
        } else {
            throw .target
        }
    }
}

extension HTTPField.Name {
    /// `Host` (RFC 9110 §7.2), for which HTTPTypes has `authority`.
    fileprivate static let host = HTTPField.Name("Host")!
}
