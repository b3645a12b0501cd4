import Foundation
import HTTPTypes

extension HTTPRequest {
    /// A request for an absolute URL with a host.
    init(_ method: Method, _ url: URL, _ fields: HTTPFields = [:]) {
        self.init(
            method: method,
            scheme: url.scheme,
            authority: url.host().map { host in url.port.map { "\(host):\($0)" } ?? host },
            path: (url.path().isEmpty ? "/" : url.path()) + (url.query().map { "?\($0)" } ?? ""),
            headerFields: fields
        )
    }
}
