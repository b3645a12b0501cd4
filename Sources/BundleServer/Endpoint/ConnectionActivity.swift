/// What goes on on a connection: which side waits for the other.
struct ConnectionActivity {
    /// Whether the connection is to be closed as soon as nothing is left to answer.
    var isDraining = false

    private var unansweredRequests = 0
    private var pendingWrites = 0
    private var isReadingRequest = false

    /// Whether it is to be closed now.
    var isDrained: Bool { isDraining && unansweredRequests == 0 }

    /// Whether the next step is the client's: to send a request or the rest of one, or to take what was written. When it
    /// isn't, a response is being made, which takes as long as it takes.
    var waitsForClient: Bool { unansweredRequests == 0 || isReadingRequest || pendingWrites > 0 }

    /// Whether something is written that the socket hasn't taken yet.
    var isWriting: Bool { pendingWrites > 0 }

    mutating func read(_ part: ReceivedPart) {
        switch part {
        case .head:
            unansweredRequests += 1
            isReadingRequest = true
        case .body: break
        case .end: isReadingRequest = false
        }
    }

    mutating func beginWrite() {
        pendingWrites += 1
    }

    /// - Parameter isResponseEnd: Whether a response's last part has left, or can't any more.
    mutating func endWrite(ofResponseEnd isResponseEnd: Bool) {
        pendingWrites -= 1
        // What can't be parsed is answered too, without having been read as a request.
        if isResponseEnd { unansweredRequests = max(0, unansweredRequests - 1) }
    }
}
