import CNghttp2
import HTTPTypes
import NIOCore

/// The server's side of one HTTP/2 connection (RFC 9113): bytes in, requests out; responses in, bytes out. It does no
/// I/O.
///
/// libnghttp2 keeps the protocol's state and calls back into this object, only from within the methods here. Of these,
/// callbacks may call only ``respond(to:_:part:date:body:)``, ``reset(_:_:)`` and ``end(_:)``, which only queue frames.
/// For use on the connection's event loop.
final class HTTP2Session {
    typealias StreamID = Int32

    /// The number of bytes sent at a time: four TLS records (RFC 8446 §5.1).
    static let batchByteCount = 64 << 10

    let limits: HTTP2Limits
    /// Called with a request's complete fields, and whether no content follows; the response may be given immediately.
    var onRequest: (StreamID, inout HTTP2FieldBlock, Bool) -> Void = { _, _, _ in }
    /// Called when a response has been sent completely, and again when its stream is closed, whether or not it has.
    var onEnd: (HTTP2Stream) -> Void = { _ in }
    /// The streams that are open in the library.
    private(set) var streams: [StreamID: HTTP2Stream] = [:]
    /// When the last stream was closed, or the connection began. A PING doesn't count.
    private(set) var idleSince: NIODeadline
    /// When content of any stream was last sent, or the connection began.
    private(set) var contentSentAt: NIODeadline
    /// The head that is still incomplete.
    private(set) var openHead: (id: StreamID, beganAt: NIODeadline)?

    let library: OpaquePointer
    let now: () -> NIODeadline
    private(set) var block = HTTP2FieldBlock()
    private var output = ByteBuffer()
    private var controlFrames: TokenBucket
    private var rate = RequestRate()
    private let requestsPerSecond: Int
    private var lastAcceptedID: StreamID = 0
    /// Whether too many requests have arrived, so that no more are accepted.
    private var isRefusing = false

    /// - Throws: ``HTTP2Failure`` when there is no memory.
    init(_ limits: HTTP2Limits, now: @escaping () -> NIODeadline) throws(HTTP2Failure) {
        self.limits = limits
        self.now = now
        controlFrames = limits.controlFrames
        requestsPerSecond = limits.requestsPerSecond
        idleSince = now()
        contentSentAt = idleSince
        var library: OpaquePointer?
        let code = nghttp2_session_server_new2(&library, HTTP2Callbacks.all, nil, HTTP2Callbacks.options)
        guard code == 0, let library else { throw HTTP2Failure(libraryCode: code) }
        self.library = library
        // Not retained: the library's session is deleted when this object is.
        nghttp2_session_set_user_data(library, Unmanaged.passUnretained(self).toOpaque())
        try Self.check(submitSettings())
        try Self.check(
            nghttp2_session_set_local_window_size(
                library,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                0,
                limits.receiveWindowByteCount
            )
        )
    }

    deinit {
        nghttp2_session_del(library)
        for stream in streams.values { stream.close() }
    }

    /// Whether nothing is left to read or send.
    var isFinished: Bool { nghttp2_session_want_read(library) == 0 && nghttp2_session_want_write(library) == 0 }

    /// Processes bytes from the client.
    ///
    /// - Throws: ``HTTP2Failure`` when the connection can't continue. Then send what ``nextOutput()`` returns, and
    ///   receive nothing more.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Failure) {
        let count = nghttp2_session_mem_recv(library, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        guard count < 0 else { return }
        let failure = HTTP2Failure(libraryCode: Int32(truncatingIfNeeded: count))
        end(failure.errorCode)
        throw failure
    }

    /// The bytes to send next; nil when there are none, or when the client's windows are full.
    ///
    /// - Throws: ``HTTP2Failure`` when the connection can't continue.
    func nextOutput() throws(HTTP2Failure) -> ByteBuffer? {
        guard nghttp2_session_want_write(library) != 0 else { return nil }
        output = ByteBufferAllocator().buffer(capacity: Self.batchByteCount)
        while output.readableBytes < Self.batchByteCount {
            var bytes: UnsafePointer<UInt8>?
            let sizeBefore = output.readableBytes
            let count = nghttp2_session_mem_send(library, &bytes)
            guard count >= 0 else { throw HTTP2Failure(libraryCode: Int32(truncatingIfNeeded: count)) }
            output.writeBytes(UnsafeBufferPointer(start: bytes, count: count))
            // The callback writes content, which the library's count doesn't include.
            if count == 0, output.readableBytes == sizeBefore { break }
        }
        defer { output = ByteBuffer() }
        return output.readableBytes > 0 ? output : nil
    }

    /// Responds to a request. Has no effect when its stream is closed.
    ///
    /// - Parameters:
    ///   - part: The part of the content that is sent; nil when the head describes it.
    ///   - date: The value of `Date`, unless the response has its own.
    func respond(
        to id: StreamID,
        _ head: HTTP2ResponseHead,
        part: ContentPart? = nil,
        date: [UInt8],
        body: OutgoingBody
    ) {
        guard let stream = streams[id], !stream.hasResponse else { return body.cancel() }
        stream.head = head
        stream.body = body
        stream.progressedAt = now()
        var content = HTTP2Callbacks.content
        let code = head.withFields(date: date, part: part) { fields in
            if case .none = body {
                nghttp2_submit_response(library, id, fields.baseAddress, fields.count, nil)
            } else {
                nghttp2_submit_response(library, id, fields.baseAddress, fields.count, &content)
            }
        }
        if code != 0 { reset(id, .internalError) }
    }

    /// Resumes a body that was waiting and has something to send.
    func resume(_ id: StreamID) {
        // Until now the stream was waiting for the server.
        streams[id]?.progressedAt = now()
        nghttp2_session_resume_data(library, id)
    }

    /// Whether a stream's flow-control window is closed, so that only the client can let it continue (RFC 9113 §5.2).
    func isWindowClosed(of id: StreamID) -> Bool {
        nghttp2_session_get_stream_remote_window_size(library, id) <= 0
    }

    /// Resets one stream. libnghttp2 keeps its state until the reset has been sent.
    func reset(_ id: StreamID, _ code: HTTP2ErrorCode) {
        if let stream = streams[id] {
            guard !stream.isReset else { return }
            stream.isReset = true
            stream.close()
        }
        nghttp2_submit_rst_stream(library, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, code.rawValue)
    }

    /// Closes the remaining streams when the connection is over.
    func closeStreams() {
        for id in Array(streams.keys) { forget(id) }
    }

    private func forget(_ id: StreamID) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        idleSince = now()
        onEnd(stream)
        stream.close()
        // The connection's window is open again, the stream's no longer matters.
        if !stream.unread.isEmpty { nghttp2_session_consume_connection(library, stream.unread.count) }
    }

    /// Ends the connection, whatever is under way.
    func end(_ code: HTTP2ErrorCode) {
        nghttp2_session_terminate_session(library, code.rawValue)
    }

    /// Completes the requests under way and accepts no more (RFC 9113 §6.8). A client retries those that it sends
    /// before it reads this.
    func drain() {
        drain(after: nghttp2_session_get_last_proc_stream_id(library))
    }

    private func drain(after last: StreamID) {
        nghttp2_submit_goaway(
            library,
            UInt8(NGHTTP2_FLAG_NONE.rawValue),
            last,
            HTTP2ErrorCode.noError.rawValue,
            nil,
            0
        )
    }

    private func submitSettings() -> Int32 {
        let settings = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
                value: limits.maximumConcurrentStreams
            ),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(clamping: limits.maximumFieldListByteCount)
            ),
            // Extended CONNECT (RFC 8441 §3).
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL.rawValue), value: 1),
            // The dependency tree is deprecated (RFC 9113 §5.3); the `Priority` field replaces it (RFC 9218).
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue), value: 1),
        ]
        return nghttp2_submit_settings(library, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
    }

    private static func check(_ code: Int32) throws(HTTP2Failure) {
        if code != 0 { throw HTTP2Failure(libraryCode: code) }
    }
}

/// The methods that the library's callbacks call.
extension HTTP2Session {
    func beginBlock(of id: StreamID) {
        openHead = (id, now())
        block.removeAll()
    }

    /// Returns false when the connection is over.
    func addField(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        block.append(name, value, within: limits)
        if block.isExcessive { end(.enhanceYourCalm) }
        return !block.isExcessive
    }

    /// A trailer section begins.
    func beginTrailers() { block.removeAll() }

    func endBlock(of id: StreamID, isEnd: Bool) {
        let now = now()
        openHead = nil
        // Decoding it has cost more than a request normally does.
        if block.isTooLarge { countControlFrame() }
        guard !isRefusing, rate.count(at: now, limit: requestsPerSecond) else { return refuse(id) }
        lastAcceptedID = id
        streams[id] = HTTP2Stream(at: now)
        onRequest(id, &block, isEnd)
    }

    /// Refuses a request because too many have arrived, and all that follow. Earlier ones still get responses.
    private func refuse(_ id: StreamID) {
        reset(id, .enhanceYourCalm)
        guard !isRefusing else { return }
        isRefusing = true
        drain(after: lastAcceptedID)
    }

    func close(_ id: StreamID) {
        // The stream of a malformed request is closed before its head is complete.
        if openHead?.id == id { openHead = nil }
        forget(id)
    }

    func count(_ frame: nghttp2_frame_hd) {
        // Once the library has sent GOAWAY, it ignores requests, which would otherwise go uncounted.
        if frame.isControl || isRefusing && frame.beginsFields { countControlFrame() }
    }

    /// Ends the connection of a client that causes work without requesting anything (RFC 9113 §10.5).
    private func countControlFrame() {
        if !controlFrames.take(at: now()) { end(.enhanceYourCalm) }
    }

    func sent(_ frame: nghttp2_frame) {
        switch UInt32(frame.hd.type) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue: sentResponse(frame.hd)
        case NGHTTP2_RST_STREAM.rawValue where frame.rst_stream.error_code != HTTP2ErrorCode.noError.rawValue:
            // A client can also make the server reset any number of streams.
            countControlFrame()
        default: break
        }
    }

    private func sentResponse(_ frame: nghttp2_frame_hd) {
        let now = now()
        if !frame.beginsFields { contentSentAt = now }
        guard let stream = streams[frame.stream_id] else { return }
        stream.progressedAt = now
        guard frame.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else { return }
        stream.isSent = true
        // The other direction of a tunnel may go on.
        guard !stream.isTunnel else { return }
        onEnd(stream)
        stopReading(frame.stream_id, stream)
    }

    func readiness(of id: StreamID, upTo limit: Int) -> OutgoingBody.Readiness? {
        streams[id]?.body.readiness(upTo: limit)
    }

    /// Sends a DATA frame. Returns whether there is room for another one; nil when the content could not be read: then
    /// nothing is sent, and the stream has to be reset.
    func sendContent(of id: StreamID, frameHead: UnsafeBufferPointer<UInt8>, byteCount: Int) -> Bool? {
        let start = output.writerIndex
        output.writeBytes(frameHead)
        if let stream = streams[id] {
            stream.body.write(byteCount, to: &output)
            if stream.body.hasFaulted {
                output.moveWriterIndex(to: start)
                return nil
            }
            stream.sentByteCount += byteCount
        }
        return output.readableBytes < Self.batchByteCount
    }
}

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
