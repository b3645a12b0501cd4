import HTTPTypes
import NIOCore

/// A request and its response, on one stream of a connection. For use on the connection's event loop.
final class HTTP2Stream {
    /// Keeps the memory that libnghttp2 has pointers to.
    var head: HTTP2ResponseHead?
    var body = OutgoingBody.none
    /// Its place among those whose responses are awaited, and its use of the connection's; nil when it isn't one of them.
    var waiting: (permit: AddressLimiter.Permit?, use: AddressLimiter.Permit.Use?)?
    /// The task that produces the response or relays its body.
    var task: Task<Void, Never>?
    /// The task that passes a client's bytes into a tunnel.
    var uplink: Task<Void, Never>?
    /// The request's content or the bytes of a tunnel, for a responder that may read them; nil when nobody does.
    var content: RequestContent?
    /// How the client keeps up with the reading of ``content``.
    var pace = ContentPace()
    /// What has arrived of ``content`` and hasn't been read.
    var unread: [UInt8] = []
    /// The trailer fields of the request, once nothing follows behind ``unread``.
    var trailers: HTTPFields?
    /// Whether the client waits for an interim response before it sends the content (RFC 9110 §10.1.1).
    var expectsContinue = false
    /// Whether the response opens a tunnel (RFC 8441).
    var isTunnel = false
    /// Whether the response has begun.
    var hasResponse: Bool { head != nil }
    /// Whether the response has been sent completely; then only the rest of the request keeps the stream open.
    var isSent = false
    /// Recorded when the response has been sent or the stream is closed; nil when requests aren't recorded, and
    /// afterwards.
    var record: PendingRecord?
    /// Counts the request when the response has been sent or the stream is closed; nil while no request is complete.
    var count: PendingCount?
    /// The number of body bytes sent.
    var sentByteCount = 0
    /// Whether the server has reset the stream.
    var isReset = false
    /// When the request's head was complete.
    let beganAt: NIODeadline
    /// When content last became available or was sent.
    var progressedAt: NIODeadline
    /// The length of the request content received so far, in bytes.
    var discardedByteCount = 0

    init(at now: NIODeadline) {
        (beganAt, progressedAt) = (now, now)
    }

    /// Whether the next step is the server's, for which there is no deadline.
    var waitsForServer: Bool { !hasResponse || body.readiness(upTo: 1) == .waiting }

    /// Stops the work for a closed stream, whether or not its response has been sent.
    func close() {
        // A task that goes on keeps its own place, and not the connection's.
        waiting = nil
        task?.cancel()
        uplink?.cancel()
        body.cancel()
        content?.fail()
    }
}

/// The time by which a client must make progress, and what happens if it doesn't.
struct HTTP2Deadline: Equatable {
    /// What happens at the deadline.
    enum Consequence: Equatable {
        /// GOAWAY is sent, and the connection ends.
        case end(HTTP2ErrorCode)
        /// The connection is closed without GOAWAY: the client takes nothing.
        case close
        /// The request gets 408: its content hasn't come in time.
        case refuse(HTTP2Session.StreamID)
        /// The request's stream is reset.
        case reset(HTTP2Session.StreamID, HTTP2ErrorCode)
    }

    let time: NIODeadline
    let consequence: Consequence
}

extension HTTP2Session {
    /// The earliest deadline; nil while only the server has to act, for which there is no deadline.
    ///
    /// - Parameter blockedSince: Since when the channel hasn't been writable; nil while it is.
    func deadline(_ limits: ServerLimits, blockedSince: NIODeadline?) -> HTTP2Deadline? {
        var deadlines: [HTTP2Deadline] = []
        func add(_ start: NIODeadline, _ duration: Duration, _ consequence: HTTP2Deadline.Consequence) {
            deadlines.append(HTTP2Deadline(time: start + TimeAmount(duration), consequence: consequence))
        }
        if let openHead {
            add(openHead.beganAt, limits.headTime, .end(.enhanceYourCalm))
        } else if streams.isEmpty {
            add(idleSince, limits.idle, .end(.noError))
        }
        if let blockedSince { add(blockedSince, limits.writeStall, .close) }
        for (id, stream) in streams where !stream.isReset {
            let contentDeadline = stream.pace.deadline(TimeAmount(limits.bodyTime))
            if let contentDeadline { deadlines.append(HTTP2Deadline(time: contentDeadline, consequence: .refuse(id))) }
            if stream.isSent, stream.isTunnel { continue }
            if stream.isSent {
                // NO_ERROR says that the response doesn't depend on the rest of the request (RFC 9113 §8.1).
                add(stream.beganAt, limits.bodyTime, .reset(id, .noError))
            } else if blockedSince == nil, !stream.waitsForServer {
                add(lastProgress(of: id, stream), limits.writeStall, .reset(id, .cancel))
            }
        }
        return deadlines.min { $0.time < $1.time }
    }

    /// When the client last took content of a stream. A stream whose own window is open waits for the connection's
    /// window or for its turn, so content of other streams counts as well.
    private func lastProgress(of id: StreamID, _ stream: HTTP2Stream) -> NIODeadline {
        isWindowClosed(of: id) ? stream.progressedAt : max(stream.progressedAt, contentSentAt)
    }
}
