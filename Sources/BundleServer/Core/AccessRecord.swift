import BundleServing
import Foundation

/// What is recorded of a request.
struct AccessRecord {
    /// When the request was read.
    var time: Date
    /// The client's IP address; absent for a Unix socket.
    var client: LogText
    /// Absent for what isn't a request.
    var method: LogText
    /// As it was sent, with its query.
    var target: LogText
    /// As it was sent, with its port.
    var host: LogText
    /// Such as `HTTP/1.1`; absent for what isn't a request.
    var version: LogText
    var referrer: LogText
    var userAgent: LogText
    /// 100 to 599.
    var status: Int
    /// The body's bytes that were handed to the connection.
    var byteCount: Int
    /// From the request's head to the response's last byte.
    var duration: Duration
    var source: ResponseSource

    /// The same for input that isn't a request, without its response.
    var withoutRequest: AccessRecord { AccessRecord(from: client, at: time) }

    /// The same, to be kept for longer than the request's bytes are there.
    var owned: AccessRecord {
        var record = self
        for text in [\AccessRecord.client, \.method, \.target, \.host, \.version, \.referrer, \.userAgent] {
            record[keyPath: text] = record[keyPath: text].owned
        }
        return record
    }
}

extension AccessRecord {
    /// The record of what isn't a request, without its response.
    init(from client: LogText, at time: Date) {
        self.init(
            time: time,
            client: client,
            method: .absent,
            target: .absent,
            host: .absent,
            version: .absent,
            referrer: .absent,
            userAgent: .absent,
            status: 0,
            byteCount: 0,
            duration: .zero,
            source: ResponseSource(.server)
        )
    }

    /// The record of an HTTP/1 request, without its response. It may be used for as long as the bytes are there.
    ///
    /// - Parameter bytes: Those that `head` was found in.
    init(_ head: RequestHead, in bytes: UnsafeRawBufferPointer, from client: LogText, at time: Date) {
        self.init(from: client, at: time)
        func text(_ range: Range<Int>?) -> LogText {
            range.map { .bytes(UnsafeRawBufferPointer(rebasing: bytes[$0])) } ?? .absent
        }
        (method, target, host) = (text(head.methodToken), text(head.target), text(head.host))
        (referrer, userAgent) = (text(head.referer), text(head.userAgent))
        version = .string(head.minorVersion == 0 ? "HTTP/1.0" : "HTTP/1.1")
    }
}
