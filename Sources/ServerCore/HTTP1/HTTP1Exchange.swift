import BundleServing
import HTTPTypes

/// A request on an HTTP/1 connection and the response to it. For use on the connection's event loop.
final class HTTP1Exchange {
    /// Request content up to this length in bytes is read and discarded; no responder uses it.
    static let maximumDiscardedByteCount = 1 << 20

    let isHead: Bool
    let minorVersion: UInt8
    /// Whether the connection ends with the response.
    var closesConnection: Bool
    /// Nil when requests aren't recorded, and once this one is.
    var record: PendingRecord?
    /// The request with all its fields; nil for one that a ready response answers.
    var request: HTTPRequest?
    /// The rest of the body.
    var body = OutgoingBody.none
    /// Whether the body is sent in chunks (RFC 9112 §7.1).
    var isChunked = false
    /// The number of body bytes written to the connection.
    var sentByteCount = 0
    /// The task that produces the response or relays its body.
    var task: Task<Void, Never>?

    init(_ head: RequestHead, record: PendingRecord?) {
        isHead = head.method == .head
        minorVersion = head.minorVersion
        closesConnection = head.closesConnection || head.minorVersion == 0 || !Self.isDiscardable(head)
        self.record = record
    }

    /// Whether the request's content is short enough to discard. A client that expects 100 (Continue) gets the final
    /// response immediately instead (RFC 9110 §10.1.1), and may then send the content or not.
    private static func isDiscardable(_ head: RequestHead) -> Bool {
        if head.expectsContinue { return false }
        return switch head.framing {
        case .none: true
        case .length(let count): count <= maximumDiscardedByteCount
        case .chunked: false
        }
    }

    /// A response's head with the fields that frame the message (RFC 9112 §6). Sets ``isChunked``.
    func framed(_ head: HTTPResponse) -> HTTPResponse {
        var head = head
        if head.status.kind == .informational || head.status == .noContent {
            head.headerFields[.contentLength] = nil
        } else if head.headerFields[.contentLength] == nil, head.status != .notModified, !isHead {
            // HTTP/1.0 has no chunks; there the body ends with the connection.
            isChunked = minorVersion == 1
        }
        return head
    }

    /// Stops producing the response or relaying its body.
    func cancel() {
        task?.cancel()
        body.cancel()
    }
}
