import CNghttp2
import HTTPTypes
import NIOCore

/// Request content, interim responses and trailers.
extension HTTP2Session {
    /// How many frames may wait to be sent before interim responses, which a client doesn't need, are left out.
    private static let maximumQueuedFrameCount = 64

    /// Takes content, or discards it when nobody reads it.
    func receive(_ bytes: UnsafeBufferPointer<UInt8>, of id: StreamID) {
        guard let stream = streams[id], !stream.isReset else { return consume(bytes.count, of: id) }
        guard let content = stream.content, !content.isEnded else { return discard(bytes.count, of: id, stream) }
        stream.unread += bytes
        passContent(of: id)
    }

    private func discard(_ byteCount: Int, of id: StreamID, _ stream: HTTP2Stream) {
        consume(byteCount, of: id)
        stream.discardedByteCount += byteCount
        // NO_ERROR says that the response doesn't depend on the rest (RFC 9113 §8.1).
        if stream.discardedByteCount > limits.maximumDiscardedByteCount, stream.isSent { reset(id, .noError) }
    }

    /// Opens the windows again.
    private func consume(_ byteCount: Int, of id: StreamID) {
        nghttp2_session_consume(library, id, byteCount)
    }

    /// The client has ended its side of a stream.
    func endContent(of id: StreamID, hasTrailers: Bool) {
        guard let stream = streams[id] else { return }
        stream.trailers = hasTrailers ? block.trailers : [:]
        passContent(of: id)
    }

    /// Passes what has arrived to a waiting reader.
    func passContent(of id: StreamID) {
        guard let stream = streams[id], let content = stream.content else { return }
        if content.isWanted, !stream.unread.isEmpty {
            let bytes = stream.unread
            stream.unread = []
            stream.pace.take(bytes.count, at: now())
            consume(bytes.count, of: id)
            content.deliver(bytes)
        }
        if stream.unread.isEmpty, let trailers = stream.trailers {
            stream.pace.take(0, at: now())
            content.end(trailers)
        }
    }

    /// Nobody reads the rest of a stream's content.
    func stopReading(_ id: StreamID, _ stream: HTTP2Stream) {
        guard let content = stream.content else { return }
        stream.content = nil
        stream.pace = ContentPace()
        content.fail()
        let count = stream.unread.count
        stream.unread = []
        if count > 0 { discard(count, of: id, stream) }
    }

    /// Sends an interim response (RFC 9113 §8.1), unless the final one has begun or the client takes nothing.
    func sendInterim(_ head: HTTPResponse, on id: StreamID) {
        guard let stream = streams[id], !stream.hasResponse, !stream.isReset, head.isInterim,
            nghttp2_session_get_outbound_queue_size(library) < Self.maximumQueuedFrameCount
        else { return }
        // A client that waits for this one gets it once.
        if head.status == .continue {
            guard stream.expectsContinue else { return }
            stream.expectsContinue = false
        }
        let interim = HTTP2ResponseHead(HTTPResponse(status: head.status, headerFields: head.headerFields.asInterim))
        interim.withCopiedFields { fields in
            _ = nghttp2_submit_headers(
                library,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                id,
                nil,
                fields.baseAddress,
                fields.count,
                nil
            )
        }
    }

    /// Submits the trailer section of a response whose content has ended. Returns whether there is one.
    func submitTrailers(of id: StreamID) -> Bool {
        guard let trailers = streams[id]?.body.trailers, !trailers.isEmpty else { return false }
        return HTTP2ResponseHead(trailers: trailers).withCopiedFields { fields in
            nghttp2_submit_trailer(library, id, fields.baseAddress, fields.count) == 0
        }
    }
}
