import BundleNetwork
import Foundation
import HTTPTypes

extension AccessRecord {
    /// The record of a request that has no response yet, or of an invalid request. The caller sets its version.
    init(_ request: HTTPRequest?, from client: LogText, at time: Date) {
        self.init(
            time: time,
            client: client,
            method: LogText(request?.method.rawValue),
            target: LogText(request.map(Self.target)),
            host: LogText(request?.authority),
            version: .absent,
            referrer: LogText(request?.headerFields[.referer]),
            userAgent: LogText(request?.headerFields[.userAgent]),
            status: 0,
            byteCount: 0,
            duration: .zero,
            source: ResponseSource(.server)
        )
    }

    /// The target as it was sent: a path, or an absolute URL.
    private static func target(of request: HTTPRequest) -> String {
        let path = request.path ?? ""
        guard let scheme = request.scheme, let authority = request.authority else { return path }
        return "\(scheme)://\(authority)\(path)"
    }
}
