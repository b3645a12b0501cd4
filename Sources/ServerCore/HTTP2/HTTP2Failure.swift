import CNghttp2

/// Why a connection can't go on: what the peer sent, as libnghttp2 judges it, or no memory.
struct HTTP2Failure: Error, CustomStringConvertible {
    /// libnghttp2's own number.
    let libraryCode: Int32

    /// What the peer is told (RFC 9113 §7).
    var errorCode: HTTP2ErrorCode {
        switch libraryCode {
        case NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue: .enhanceYourCalm
        case NGHTTP2_ERR_NOMEM.rawValue, NGHTTP2_ERR_CALLBACK_FAILURE.rawValue: .internalError
        default: .protocolError
        }
    }

    var description: String { String(cString: nghttp2_strerror(libraryCode)) }
}
