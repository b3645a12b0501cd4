import NIOCore

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
