/// The error codes that this server uses (RFC 9113 §7).
enum HTTP2ErrorCode: UInt32 {
    case noError = 0
    case protocolError = 1
    case internalError = 2
    case cancel = 8
    case connectError = 10
    case enhanceYourCalm = 11
}
