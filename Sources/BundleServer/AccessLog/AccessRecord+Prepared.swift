import BundleNetwork
import BundleServing
import BundleStore
import Foundation

extension AccessRecord {
    /// The record of a request that gets a ready response. It is valid for as long as the bytes are.
    ///
    /// - Parameters:
    ///   - bytes: The bytes in which `head` was found.
    ///   - start: When the request's processing began.
    init(
        _ response: ReadyResponse,
        _ form: ReadyResponse.Form,
        to head: RequestHead,
        in bytes: UnsafeRawBufferPointer,
        from client: LogText,
        at time: Date,
        since start: ContinuousClock.Instant
    ) {
        let text = { (range: Range<Int>?) in
            range.map { LogText.bytes(UnsafeRawBufferPointer(rebasing: bytes[$0])) } ?? .absent
        }
        self.init(
            time: time,
            client: client,
            method: .string(head.method == .head ? "HEAD" : "GET"),
            target: text(head.target),
            host: text(head.host),
            version: .string("HTTP/1.1"),
            referrer: text(head.referer),
            userAgent: text(head.userAgent),
            status: form == .notModified ? 304 : 200,
            byteCount: form == .whole ? response.body.count : 0,
            duration: start.duration(to: .now),
            source: response.source
        )
    }
}
