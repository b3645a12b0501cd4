import CNghttp2

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
