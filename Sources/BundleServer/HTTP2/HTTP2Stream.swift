/// A request that is being answered, on one stream of a connection. For use on the connection's event loop.
final class HTTP2Stream {
    /// Keeps what libnghttp2 has pointers to.
    var head: HTTP2ResponseHead?
    var body = HTTP2Body.none
    /// What makes the answer, when that takes time.
    var task: Task<Void, Never>?
    /// Whether the answer has been begun.
    var isAnswered: Bool { head != nil }
    /// The content of the request that has come so far, in bytes.
    var discardedByteCount = 0

    /// Whether the next step is the server's, which takes as long as it takes.
    var waitsForServer: Bool { !isAnswered || body.readiness(upTo: 1) == .waiting }

    /// The stream is over, whether or not its answer has gone out.
    func close() {
        task?.cancel()
        body.cancel()
    }
}
