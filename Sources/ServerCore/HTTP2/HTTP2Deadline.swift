import NIOCore

/// Until when a client may take for what it has to do next, and what happens then.
struct HTTP2Deadline: Equatable {
    /// What happens.
    enum Consequence: Equatable {
        /// The client is told, and the connection ended.
        case end(HTTP2ErrorCode)
        /// The connection is closed: the client takes nothing, not even an explanation.
        case close
        /// The request's stream is ended.
        case reset(HTTP2Session.StreamID, HTTP2ErrorCode)
    }

    let time: NIODeadline
    let consequence: Consequence
}

extension HTTP2Session {
    /// The earliest deadline; nil when it is all the server's turn, which takes as long as it takes.
    ///
    /// - Parameter blockedSince: Since when the client's system takes no bytes at all; nil when it does.
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
            if stream.isSent {
                // The response doesn't depend on the rest of the request, and says so by this code (RFC 9113 §8.1).
                add(stream.beganAt, limits.bodyTime, .reset(id, .noError))
            } else if blockedSince == nil, !stream.waitsForServer {
                add(lastProgress(of: id, stream), limits.writeStall, .reset(id, .cancel))
            }
        }
        return deadlines.min { $0.time < $1.time }
    }

    /// When the client last took what a stream is there for. A stream with room of its own waits for room on the connection,
    /// or for its turn: there the content of the others counts.
    private func lastProgress(of id: StreamID, _ stream: HTTP2Stream) -> NIODeadline {
        isWindowClosed(of: id) ? stream.progressedAt : max(stream.progressedAt, contentSentAt)
    }
}
