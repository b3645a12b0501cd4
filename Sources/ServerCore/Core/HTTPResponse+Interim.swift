import HTTPTypes

extension HTTPResponse {
    /// Whether another response to the same request follows. A switch of protocols is the last one.
    var isInterim: Bool { status.kind == .informational && status != .switchingProtocols }
}

extension HTTPFields {
    /// The fields of an interim response, which has no content (RFC 9110 §15.2), without those of a connection (§7.6.1).
    var asInterim: HTTPFields {
        var fields = self
        for name in [HTTPField.Name.connection, .contentLength, .transferEncoding, .upgrade, .trailer] {
            fields[name] = nil
        }
        return fields
    }
}
