import NIOCore

/// A request that is being answered, on one stream of a connection. For use on the connection's event loop.
final class HTTP2Stream {
    /// Keeps what libnghttp2 has pointers to.
    var head: HTTP2ResponseHead?
    var body = OutgoingBody.none
    /// What makes the response, when that takes time.
    var task: Task<Void, Never>?
    /// Whether the response has been begun.
    var isAnswered: Bool { head != nil }
    /// Whether the response has gone out to its last byte; then only the rest of the request keeps the stream open.
    var isSent = false
    /// Recorded when the response has gone out or the stream is over; nil when requests aren't recorded, and afterwards.
    var record: PendingRecord?
    /// The bytes of the body that have gone out.
    var sentByteCount = 0
    /// Whether the client is told that the stream is over.
    var isReset = false
    /// When the request's head was there.
    let beganAt: NIODeadline
    /// When there was something to send last, or something went out.
    var progressedAt: NIODeadline
    /// The content of the request that has come so far, in bytes.
    var discardedByteCount = 0

    init(at now: NIODeadline) {
        (beganAt, progressedAt) = (now, now)
    }

    /// Whether the next step is the server's, which takes as long as it takes.
    var waitsForServer: Bool { !isAnswered || body.readiness(upTo: 1) == .waiting }

    /// The stream is over, whether or not its response has gone out.
    func close() {
        task?.cancel()
        body.cancel()
    }
}
