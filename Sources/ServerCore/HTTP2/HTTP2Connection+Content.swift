import HTTPCore
import HTTPTypes
import NIOCore

/// Request content, and tunnels (RFC 8441).
extension HTTP2Connection {
    /// The client's side of a request, for the responder.
    func client(
        of stream: HTTP2Stream,
        _ id: HTTP2Session.StreamID,
        _ request: HTTPRequest,
        _ context: ChannelHandlerContext
    ) -> ClientExchange {
        let loop = context.eventLoop
        let bound = NIOLoopBound((self, context), eventLoop: loop)
        // What follows a CONNECT isn't content (RFC 9110 §9.3.6).
        let content = request.method == .connect ? nil : stream.content?.stream
        let address = context.channel.remoteAddress?.peer
        return ClientExchange(content: content, executor: shared.executor, address: address) { head in
            loop.runNow {
                let (connection, context) = bound.value
                connection.session.sendInterim(head, on: id)
                connection.flush(context)
            }
        }
    }

    /// The content of a request, received only as fast as it is read.
    func content(
        of id: HTTP2Session.StreamID,
        _ request: HTTPRequest,
        _ context: ChannelHandlerContext
    ) -> RequestContent {
        session.streams[id]?.expectsContinue = request.headerFields[.expect]?.lowercased() == "100-continue"
        return RequestContent(on: context.eventLoop) { [self] in
            guard let stream = session.streams[id] else { return }
            if !stream.isTunnel { stream.pace.want(at: .now()) }
            if stream.unread.isEmpty, stream.trailers == nil {
                session.sendInterim(HTTPResponse(status: .continue), on: id)
            }
            session.passContent(of: id)
            flush(context)
        }
    }

    /// Ends a request whose content hasn't come in time.
    func refuseContent(of id: HTTP2Session.StreamID) {
        guard let stream = session.streams[id] else { return }
        session.stopReading(id, stream)
        guard !stream.hasResponse else { return }
        stream.task?.cancel()
        send(settings.responder.refusal(Overload.requestTime.response, of: nil), ResponseSource(.server), to: id)
    }

    /// Passes a client's bytes into a tunnel, as fast as the origin takes them.
    func send(into tunnel: Tunnel, of id: HTTP2Session.StreamID, _ context: ChannelHandlerContext) {
        guard let stream = session.streams[id], let content = stream.content else { return }
        let loop = context.eventLoop
        let bound = NIOLoopBound((self, context), eventLoop: loop)
        let bytes = content.stream
        stream.uplink = Task {
            guard await !tunnel.sendAll(bytes) else { return }
            try? await loop.submit {
                let (connection, context) = bound.value
                guard connection.session.streams[id] != nil else { return }
                connection.session.reset(id, .connectError)
                connection.flush(context)
            }.get()
        }
    }
}

extension HTTPResponse {
    /// A switch of protocols as the response to an extended CONNECT (RFC 8441 §5).
    var asConnected: HTTPResponse {
        var head = self
        head.status = .ok
        for name in Self.switchNames { head.headerFields[name] = nil }
        return head
    }

    private static let switchNames: [HTTPField.Name] = [.connection, .upgrade, .secWebSocketAccept]
}
