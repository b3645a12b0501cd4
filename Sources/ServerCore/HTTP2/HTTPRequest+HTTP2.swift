import BundleModel
import HTTPCore
import HTTPTypes

extension HTTPRequest {
    /// A request from its fields. The scheme is left out: every HTTP/2 request has one, so it doesn't distinguish a
    /// request to a proxy from one to the server (RFC 9113 §8.3.1). An extended CONNECT keeps it (RFC 8441 §4).
    ///
    /// libnghttp2 has checked that each pseudo-header field is present once, before all other fields, and that none of
    /// these is connection-specific (§8.2.2, §8.3).
    ///
    /// - Throws: ``/BundleServing/MalformedRequest`` when the fields or the target are too long, when the target isn't
    ///   ASCII, when there is no host or two different ones, or when the host or the method isn't valid.
    init(_ block: HTTP2FieldBlock, within limits: RequestHeadLimits) throws(MalformedRequest) {
        guard !block.isTooLarge else { throw .tooLong }
        var parts = HTTP2RequestParts()
        try block.forEach { name, value throws(MalformedRequest) in try parts.take(name, value) }
        self = try parts.request()
        if let path, path.utf8.count > limits.targetByteCount { throw .targetTooLong }
    }
}

/// The parts of a request, collected from its fields.
private struct HTTP2RequestParts {
    private var method: HTTPRequest.Method?
    private var authority: String?
    private var path: String?
    private var scheme: String?
    private var connectProtocol: String?
    private var fields = HTTPFields()
    private var cookies: [String] = []

    mutating func take(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(MalformedRequest) {
        let bytes = value
        // Invalid UTF-8 is repaired in what isn't a field of its own, as for HTTP/1.
        let value = String(decoding: bytes, as: UTF8.self)
        switch String(decoding: name, as: UTF8.self) {
        case ":method": method = HTTPRequest.Method(value)
        case ":scheme": scheme = value
        case ":protocol": connectProtocol = value
        case ":authority": authority = try merged(authority, with: value)
        case "host": authority = try merged(authority, with: value)
        case ":path":
            // A URI is ASCII (RFC 3986 §2), and repair would change it; a fragment is never sent (RFC 9113 §8.3.1).
            guard bytes.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "#") }) else { throw .syntax }
            path = value
        // One field, as outside HTTP/2 (RFC 9113 §8.2.3).
        case "cookie": cookies.append(value)
        case let name:
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, lenientValue: bytes)) }
        }
    }

    /// `Host` must name the same host as `:authority` (RFC 9113 §8.3.1).
    private func merged(_ known: String?, with value: String) throws(MalformedRequest) -> String {
        if let known, known.lowercased() != value.lowercased() { throw .host }
        return value
    }

    func request() throws(MalformedRequest) -> HTTPRequest {
        guard let method else { throw .syntax }
        guard let authority, !authority.isEmpty, HostField.isValid(authority) else { throw .host }
        var fields = fields
        if !cookies.isEmpty { fields.append(HTTPField(name: .cookie, value: cookies.joined(separator: "; "))) }
        var request = HTTPRequest(
            method: method,
            scheme: connectProtocol == nil ? nil : scheme,
            authority: authority,
            path: path,
            headerFields: fields
        )
        request.extendedConnectProtocol = connectProtocol
        return request
    }
}
