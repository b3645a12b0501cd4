import HTTPCore
import HTTPTypes
import NIOCore

/// A request on an HTTP/1 connection and the response to it. For use on the connection's event loop.
final class HTTP1Exchange {
    /// Request content that no responder reads is discarded up to this length in bytes.
    static let maximumDiscardedByteCount = 1 << 20

    let isHead: Bool
    let minorVersion: UInt8
    /// Whether the connection ends with the response.
    var closesConnection: Bool
    /// Whether the client waits for an interim response before it sends the content (RFC 9110 §10.1.1).
    private(set) var expectsContinue: Bool
    /// The request's content or the bytes of a tunnel, for a responder that may read them.
    var content: RequestContent?
    /// How the client keeps up with the reading of ``content``.
    var pace = ContentPace()
    /// Whether the response is an event stream (`text/event-stream`).
    var isEventStream = false
    /// Whether the response is a switch of protocols.
    var isTunnel = false
    /// Whether the client's direction of a tunnel has ended, and whether the origin's has.
    var (isInputDone, isOutputDone) = (false, false)
    /// Nil when requests aren't recorded, and once this one is.
    var record: PendingRecord?
    var count = PendingCount()
    /// Its place among those whose responses are awaited, and its use of the connection's; nil when it isn't one of them.
    var waiting: (permit: AddressLimiter.Permit?, use: AddressLimiter.Permit.Use?)?
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
    /// The task that passes a client's bytes into a tunnel.
    var uplink: Task<Void, Never>?

    init(_ head: RequestHead, record: PendingRecord?) {
        isHead = head.method == .head
        minorVersion = head.minorVersion
        closesConnection = head.closesConnection || head.minorVersion == 0
        expectsContinue = head.expectsContinue
        self.record = record
    }

    /// Notes the response that is sent.
    ///
    /// - Parameter tally: Counts the response; nil when responses aren't counted.
    func note(_ status: Int, _ source: ResponseSource, _ tally: ResponseTally?) {
        record?.note(status, source)
        count.note(tally, source.saving)
    }

    /// Whether the connection has to end with the response because of the request's content. A client that expects 100
    /// (Continue) and gets the final response instead may send the content or not (RFC 9110 §10.1.1); and what is too
    /// long isn't waited for (RFC 9112 §9.3).
    ///
    /// - Parameter remaining: How many bytes of the content are still to come; nil when that isn't known.
    func closes(beforeContentOf remaining: Int?) -> Bool {
        guard let remaining else { return expectsContinue }
        return remaining > 0 && (expectsContinue || remaining > Self.maximumDiscardedByteCount)
    }

    /// Notes that a 100 (Continue) is sent. Returns whether the client has been waiting for it.
    func takeExpectation() -> Bool {
        defer { expectsContinue = false }
        return expectsContinue && minorVersion == 1
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
        // A task that goes on keeps its own place, and not the connection's.
        waiting = nil
        task?.cancel()
        uplink?.cancel()
        body.cancel()
        content?.fail()
    }
}

/// The first bytes of a response, with its head, and the rest of its body.
struct HTTP1Message {
    var bytes: ByteBuffer
    let rest: BodyChunks?
    let status: Int
    /// How many bytes of the body are in ``bytes``.
    let bodyByteCount: Int
    let source: ResponseSource
    /// Counts the response; nil when responses aren't counted.
    let tally: ResponseTally?
}
