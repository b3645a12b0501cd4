import BundleModel
import Foundation
import HTTPCore
import HTTPTypes

/// A request's fields as decoded by HPACK, in memory that is reused for each request: only one block can be under way
/// on a connection (RFC 9113 §4.3).
struct HTTP2FieldBlock {
    /// A name and a value within the block's bytes.
    private struct Field {
        let name: Range<Int>
        let value: Range<Int>
    }

    /// Whether fields are missing, because there were too many or they were too long.
    private(set) var isTooLarge = false
    /// Whether the block is so large that it must be an attack: with HPACK one byte can stand for a whole field, and
    /// each field has to be copied (RFC 7541 §7.3).
    private(set) var isExcessive = false

    private static let excess = 4
    private var bytes: [UInt8] = []
    private var all: [Field] = []
    private var byteCount = 0
    private var method = RequestView.Method.other
    private var authority: Range<Int>?
    private var target: Range<Int>?
    private var deciding = DecidingFields()
    private var cookies: [Range<Int>] = []
    /// Whether a field can't be expressed in the view.
    private var isSpecial = false

    mutating func append(
        _ name: UnsafeBufferPointer<UInt8>,
        _ value: UnsafeBufferPointer<UInt8>,
        within limits: HTTP2Limits
    ) {
        // Fields over the limit are counted but not kept.
        byteCount += name.count + value.count + 32
        guard all.count < limits.maximumFieldCount, byteCount <= limits.maximumFieldListByteCount else {
            isTooLarge = true
            isExcessive = byteCount > Self.excess * limits.maximumFieldListByteCount
            return
        }
        let field = Field(name: append(name), value: append(value))
        all.append(field)
        take(field, UnsafeRawBufferPointer(name), UnsafeRawBufferPointer(value))
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        bytes.append(contentsOf: text)
        return bytes.count - text.count..<bytes.count
    }

    private mutating func take(_ field: Field, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard name.first != UInt8(ascii: ":") else { return takePseudoField(field, name, value) }
        switch RequestField(name) {
        // It must name the same host as `:authority`, and comparing takes the full request.
        case .host: isSpecial = true
        case .deciding(.cookie): cookies.append(field.value)
        case .deciding(let name):
            // Several lines of one name form a list (RFC 9110 §5.3), which isn't combined here.
            if deciding.contains(name) { isSpecial = true }
            deciding[name] = field.value
        default: break
        }
    }

    /// Pseudo-header fields stand for the request line of HTTP/1 (RFC 9113 §8.3.1).
    private mutating func takePseudoField(
        _ field: Field,
        _ name: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer
    ) {
        if name.elementsEqual(":method".utf8) {
            method = value.elementsEqual("GET".utf8) ? .get : value.elementsEqual("HEAD".utf8) ? .head : .other
        } else if name.elementsEqual(":path".utf8) {
            target = field.value
        } else if name.elementsEqual(":authority".utf8) {
            authority = field.value
        }
    }

    /// Whether the request is a HEAD: its response has no content, even if it is an error (RFC 9110 §9.3.2).
    var isForHead: Bool { method == .head }

    mutating func removeAll() {
        // The memory is kept for the next request.
        bytes.removeAll(keepingCapacity: true)
        all.removeAll(keepingCapacity: true)
        cookies.removeAll(keepingCapacity: true)
        (isTooLarge, isExcessive, byteCount, isSpecial) = (false, false, 0, false)
        (method, authority, target, deciding) = (.other, nil, nil, DecidingFields())
    }

    /// Calls `body` with the view of a GET or HEAD for a path; returns nil when the view can't express everything that
    /// may change the response.
    ///
    /// - Parameter targetLimit: The longest target, in bytes.
    func withView<Result>(targetLimit: Int, _ body: (RequestView) -> Result) -> Result? {
        guard !isTooLarge, !isSpecial, method != .other, let target, let authority, !authority.isEmpty,
            target.count <= targetLimit, Self.isPlain(bytes[target])
        else { return nil }
        return bytes.withUnsafeBytes { bytes in
            body(RequestView(bytes, method: method, target: target, authority: authority, fields: deciding))
        }
    }

    /// Whether a target is an ASCII path without a fragment, which is never sent (RFC 9113 §8.3.1).
    private static func isPlain(_ target: ArraySlice<UInt8>) -> Bool {
        target.first == UInt8(ascii: "/") && target.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "#") }
    }

    /// Joins the cookies into one field, as outside HTTP/2 (RFC 9113 §8.2.3). Call it once all fields are appended.
    mutating func joinCookies() {
        deciding[.cookie] = joinedCookies()
    }

    private mutating func joinedCookies() -> Range<Int>? {
        guard cookies.count > 1 else { return cookies.first }
        let start = bytes.count
        for (index, cookie) in cookies.enumerated() {
            if index > 0 { bytes += "; ".utf8 }
            bytes += bytes[cookie]
        }
        cookies = [start..<bytes.count]
        return cookies.first
    }

    /// The fields as a trailer section; without any when they are too many or too long.
    var trailers: HTTPFields {
        guard !isTooLarge else { return [:] }
        var fields = HTTPFields()
        forEach { (name, value) throws(Never) in
            guard let name = HTTPField.Name(String(decoding: name, as: UTF8.self)) else { return }
            fields.append(HTTPField(name: name, lenientValue: value))
        }
        return fields.asTrailers
    }

    /// Calls `body` with each field, in order.
    func forEach<Failure: Error>(
        _ body: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        for field in all { try body(bytes[field.name], bytes[field.value]) }
    }
}

extension HTTPRequest {
    /// A request from its fields. The scheme is left out: every HTTP/2 request has one, so it doesn't distinguish a
    /// request to a proxy from one to the server (RFC 9113 §8.3.1). An extended CONNECT keeps it (RFC 8441 §4).
    ///
    /// libnghttp2 has checked that each pseudo-header field is present once, before all other fields, and that none of
    /// these is connection-specific (§8.2.2, §8.3).
    ///
    /// - Throws: ``/HTTPCore/MalformedRequest`` when the fields or the target are too long, when the target isn't
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

extension AccessRecord {
    /// The record of an HTTP/2 request, without its response.
    init(_ block: HTTP2FieldBlock, from client: LogText, at time: Date) {
        self.init(from: client, at: time)
        version = .string("HTTP/2.0")
        block.forEach { (name, value) throws(Never) in
            let text = LogText.copy(Array(value))
            switch String(decoding: name, as: UTF8.self) {
            case ":method": method = text
            case ":path": target = text
            case ":authority": host = text
            case "referer": referrer = text
            case "user-agent": userAgent = text
            default: break
            }
        }
    }
}
