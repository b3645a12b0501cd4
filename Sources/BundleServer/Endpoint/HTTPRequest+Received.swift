import BundleServing
import BundleStore
import Foundation
import HTTPTypes
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension HTTPRequest {
    /// A request as it was sent: in origin-form the target is `path`, the `Host` is `authority`, and `scheme` is nil; in
    /// absolute-form the target's own scheme and host count (RFC 9112 §3.2.2).
    ///
    /// - Throws: ``MalformedRequest`` when the request must be refused: an HTTP/1.1 request without exactly one `Host`, one
    ///   that isn't a host, a target in no form, or a method that isn't a token.
    init(received head: HTTPRequestHead) throws(MalformedRequest) {
        // NIO leaves white space behind a value (RFC 9112 §5.1).
        let hosts = head.headers["Host"].map { $0.trimmingCharacters(in: Self.whitespace) }
        guard hosts.count == 1 || hosts.isEmpty && head.version != .http1_1, hosts.allSatisfy(Self.isHost) else {
            throw .host
        }
        guard let method = Method(head.method.rawValue) else { throw .syntax }
        let fields = HTTPFields(head.headers, splitCookie: false)
        let host = hosts.first.flatMap { $0.isEmpty ? nil : $0 }
        // Neither `*` (RFC 9112 §3.2.4) nor CONNECT's host and port (§3.2.3) is a URL.
        if head.uri.hasPrefix("/") || head.uri == "*" || method == .connect {
            self.init(method: method, scheme: nil, authority: host, path: head.uri, headerFields: fields)
        } else if let target = RequestTarget(url: head.uri) {
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

    private static let whitespace = CharacterSet(charactersIn: " \t")

    /// Whether a `Host` is empty, or a host with perhaps a port and nothing else (RFC 9110 §7.2).
    static func isHost(_ value: String) -> Bool {
        guard !value.isEmpty else { return true }
        return (try? HTTPURL("http://\(value)"))?.endsWithAuthority ?? false
    }
}
