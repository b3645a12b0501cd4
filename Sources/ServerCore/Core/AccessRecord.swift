import Foundation
import HTTPCore

/// The data recorded about a request and its response.
package struct AccessRecord {
    /// When the request was read.
    package var time: Date
    /// The client's IP address; absent for a Unix socket.
    package var client: LogText
    /// Absent for a malformed request.
    package var method: LogText
    /// As it was sent, with its query.
    package var target: LogText
    /// As it was sent, with its port.
    package var host: LogText
    /// Such as `HTTP/1.1`; absent for a malformed request.
    package var version: LogText
    package var referrer: LogText
    package var userAgent: LogText
    /// 100 to 599.
    package var status: Int
    /// The number of body bytes written to the connection.
    package var byteCount: Int
    /// From the request's head to the response's last byte.
    package var duration: Duration
    package var source: ResponseSource
    /// False for a request that is only counted: it began before requests were logged.
    var hasTexts = true

    /// The same for input that isn't a request, without its response.
    var withoutRequest: AccessRecord { AccessRecord(from: client, at: time) }

    /// A copy that doesn't refer to the request's bytes.
    var owned: AccessRecord {
        var record = self
        (record.client, record.method, record.target, record.host) = (
            client.owned, method.owned, target.owned, host.owned
        )
        (record.version, record.referrer, record.userAgent) = (version.owned, referrer.owned, userAgent.owned)
        return record
    }
}

extension AccessRecord {
    /// The record of a malformed request, without its response.
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

    /// The record of a request that is only counted, without its response.
    init(countedAt time: Date) {
        self.init(from: .absent, at: time)
        hasTexts = false
    }

    /// The record of an HTTP/1 request, without its response. It is valid only as long as the bytes are.
    ///
    /// - Parameter bytes: The bytes that `head` was scanned from.
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

/// Text of a request for a log. It is untrusted: whatever a client sends.
package enum LogText {
    case absent
    case string(String)
    /// Bytes that need to be valid only until the record is appended.
    case bytes(UnsafeRawBufferPointer)
    /// Bytes as they were sent, which need not be UTF-8.
    case copy([UInt8])

    package init(_ string: String?) {
        self = string.map(LogText.string) ?? .absent
    }

    package var isAbsent: Bool {
        switch self {
        case .absent: true
        case .string(let string): string.isEmpty
        case .bytes(let bytes): bytes.isEmpty
        case .copy(let bytes): bytes.isEmpty
        }
    }

    /// The text; nil when it is absent.
    package var string: String? {
        switch self {
        case .absent: nil
        case .string(let string): string
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .copy(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    /// A copy that doesn't refer to the bytes.
    var owned: LogText {
        if case .bytes(let bytes) = self { .copy(Array(bytes)) } else { self }
    }

    /// Calls `body` with the bytes; with none when there is no text.
    package func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        switch self {
        case .absent: body(UnsafeRawBufferPointer(start: nil, count: 0))
        case .string(var string): string.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): body(bytes)
        case .copy(let bytes): bytes.withUnsafeBytes { body($0) }
        }
    }
}
