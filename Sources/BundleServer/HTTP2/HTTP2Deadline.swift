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
        case reset(HTTP2Session.StreamID)
    }

    let time: NIODeadline
    let consequence: Consequence
}

extension HTTP2Session {
    /// The earliest deadline; nil when it is all the server's turn, which takes as long as it takes.
    func deadline(_ limits: EndpointLimits) -> HTTP2Deadline? {
        var deadlines: [HTTP2Deadline] = []
        func add(_ start: NIODeadline, _ duration: Duration, _ consequence: HTTP2Deadline.Consequence) {
            deadlines.append(HTTP2Deadline(time: start + TimeAmount(duration), consequence: consequence))
        }
        if let blockBeganAt {
            add(blockBeganAt, limits.headTime, .end(.enhanceYourCalm))
        } else if streams.isEmpty {
            add(progressedAt, limits.idle, .end(.noError))
        }
        for (id, stream) in streams where stream.isSent { add(stream.beganAt, limits.bodyTime, .reset(id)) }
        if streams.values.contains(where: { !$0.isSent }), !waitsForServer {
            add(progressedAt, limits.writeStall, .close)
        }
        return deadlines.min { $0.time < $1.time }
    }
}
