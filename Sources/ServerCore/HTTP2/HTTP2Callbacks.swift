import CNghttp2

/// The functions that libnghttp2 calls, and its options: the same for every session.
///
/// Each gets the session as user data. The session outlives the call, which is made from one of its own methods.
enum HTTP2Callbacks {
    /// Made once and never changed or freed; the library copies it.
    nonisolated(unsafe) static let all = makeCallbacks()
    /// As above.
    nonisolated(unsafe) static let options = makeOptions()

    /// The source of a response's content, which the session finds by the stream.
    static var content: nghttp2_data_provider {
        var provider = nghttp2_data_provider()
        provider.read_callback = { _, id, _, limit, flags, _, session in
            guard let session = HTTP2Session.from(session), let flags else {
                return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
            }
            switch session.readiness(of: id, upTo: limit) {
            case .bytes(let count, let isEnd):
                flags.pointee |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue
                if isEnd { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
                // They end the stream then (RFC 9113 §8.1).
                if isEnd, session.submitTrailers(of: id) { flags.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue }
                return count
            case .waiting: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
            case nil: return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
            }
        }
        return provider
    }

    private static func makeOptions() -> OpaquePointer? {
        var options: OpaquePointer?
        nghttp2_option_new(&options)
        // Resets are counted with all control frames; see HTTP2Session.countControlFrame.
        nghttp2_option_set_stream_reset_rate_limit(options, .max, .max)
        // Content is taken only as fast as it is read.
        nghttp2_option_set_no_auto_window_update(options, 1)
        return options
    }

    private static func makeCallbacks() -> OpaquePointer? {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        addRequestCallbacks(callbacks)
        addFrameCallbacks(callbacks)
        return callbacks
    }

    private static func addRequestCallbacks(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, session in
            guard let frame, let session = HTTP2Session.from(session) else { return 0 }
            if frame.isRequest { session.beginBlock(of: frame.pointee.hd.stream_id) } else { session.beginTrailers() }
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _,
            frame,
            name,
            nameCount,
            value,
            valueCount,
            _,
            session in
            guard let session = HTTP2Session.from(session) else { return 0 }
            let goesOn = session.addField(
                UnsafeBufferPointer(start: name, count: nameCount),
                UnsafeBufferPointer(start: value, count: valueCount)
            )
            return goesOn ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, session in
            guard let frame, let session = HTTP2Session.from(session) else { return 0 }
            let (id, isEnd) = (frame.pointee.hd.stream_id, frame.endsStream)
            if frame.isRequest {
                session.endBlock(of: id, isEnd: isEnd)
            } else if isEnd {
                session.endContent(of: id, hasTrailers: frame.pointee.hd.beginsFields)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, session in
            HTTP2Session.from(session)?.receive(UnsafeBufferPointer(start: bytes, count: count), of: id)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, _, session in
            HTTP2Session.from(session)?.close(id)
            return 0
        }
    }

    private static func addFrameCallbacks(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, head, session in
            if let head { HTTP2Session.from(session)?.count(head.pointee) }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, session in
            if let frame { HTTP2Session.from(session)?.sent(frame.pointee) }
            return 0
        }
        nghttp2_session_callbacks_set_send_data_callback(callbacks) { _, frame, head, count, _, session in
            guard let session = HTTP2Session.from(session), let frame else {
                return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
            }
            let hasRoom = session.sendContent(
                of: frame.pointee.hd.stream_id,
                frameHead: UnsafeBufferPointer(start: head, count: 9),
                byteCount: count
            )
            guard let hasRoom else { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue }
            return hasRoom ? 0 : NGHTTP2_ERR_PAUSE.rawValue
        }
    }
}

extension HTTP2Session {
    fileprivate static func from(_ userData: UnsafeMutableRawPointer?) -> HTTP2Session? {
        userData.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension UnsafePointer<nghttp2_frame> {
    fileprivate var isRequest: Bool {
        pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) && pointee.headers.cat == NGHTTP2_HCAT_REQUEST
    }
}

extension UnsafePointer<nghttp2_frame> {
    /// Whether nothing follows on the stream.
    fileprivate var endsStream: Bool {
        let type = UInt32(pointee.hd.type)
        return (type == NGHTTP2_DATA.rawValue || type == NGHTTP2_HEADERS.rawValue)
            && pointee.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    }
}

extension nghttp2_frame_hd {
    /// Whether the frame causes work and carries no content. WINDOW_UPDATE doesn't count: a large response needs many.
    var isControl: Bool {
        switch UInt32(type) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_CONTINUATION.rawValue, NGHTTP2_WINDOW_UPDATE.rawValue: false
        case NGHTTP2_DATA.rawValue: length == 0 && flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) == 0
        default: true
        }
    }

    /// Whether the frame begins a field section: the header or the trailers of a message.
    var beginsFields: Bool { UInt32(type) == NGHTTP2_HEADERS.rawValue }
}

/// Why a connection can't continue: libnghttp2 rejected what the peer sent, or memory ran out.
struct HTTP2Failure: Error, CustomStringConvertible {
    /// libnghttp2's error code.
    let libraryCode: Int32

    /// The error code sent to the peer (RFC 9113 §7).
    var errorCode: HTTP2ErrorCode {
        switch libraryCode {
        case NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue: .enhanceYourCalm
        case NGHTTP2_ERR_NOMEM.rawValue, NGHTTP2_ERR_CALLBACK_FAILURE.rawValue: .internalError
        default: .protocolError
        }
    }

    var description: String { String(cString: nghttp2_strerror(libraryCode)) }
}

/// The error codes that this server uses (RFC 9113 §7).
enum HTTP2ErrorCode: UInt32 {
    case noError = 0
    case protocolError = 1
    case internalError = 2
    case cancel = 8
    case connectError = 10
    case enhanceYourCalm = 11
}
