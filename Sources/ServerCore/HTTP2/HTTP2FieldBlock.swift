import BundleServing

/// A request's fields as they come out of HPACK, in memory that serves one request after the other: only one block can be
/// under way on a connection (RFC 9113 §4.3).
struct HTTP2FieldBlock {
    /// A name and a value, among the block's bytes.
    private struct Field {
        let name: Range<Int>
        let value: Range<Int>
    }

    /// Whether fields are missing, because there were too many or they were too long.
    private(set) var isTooLarge = false
    /// Whether it is so much too large that no mistake explains it: HPACK lets a byte stand for a whole field, and each has to
    /// be copied (RFC 7541 §7.3).
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
    /// Whether there was a field that the view can't say.
    private var isSpecial = false

    mutating func append(
        _ name: UnsafeBufferPointer<UInt8>,
        _ value: UnsafeBufferPointer<UInt8>,
        within limits: HTTP2Limits
    ) {
        // What is over the limit is counted and not kept.
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
        // It must not name another host than `:authority` does, which takes comparing.
        case .host: isSpecial = true
        case .deciding(.cookie): cookies.append(field.value)
        case .deciding(let name):
            // Two lines of one name are one list (RFC 9110 §5.3), which isn't put together here.
            if deciding.contains(name) { isSpecial = true }
            deciding[name] = field.value
        default: break
        }
    }

    /// What HTTP/1 has in the request line (RFC 9113 §8.3.1).
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

    /// Whether it is a HEAD, whose response has no content, even when it is a refusal (RFC 9110 §9.3.2).
    var isForHead: Bool { method == .head }

    mutating func removeAll() {
        // The memory is kept for the next request.
        bytes.removeAll(keepingCapacity: true)
        all.removeAll(keepingCapacity: true)
        cookies.removeAll(keepingCapacity: true)
        (isTooLarge, isExcessive, byteCount, isSpecial) = (false, false, 0, false)
        (method, authority, target, deciding) = (.other, nil, nil, DecidingFields())
    }

    /// Lends the view of a GET or HEAD for a path; nil when that doesn't say all that can change its response.
    ///
    /// - Parameter targetLimit: The longest target, in bytes.
    mutating func withView<Result>(targetLimit: Int, _ body: (RequestView) -> Result) -> Result? {
        guard !isTooLarge, !isSpecial, method != .other, let target, let authority, !authority.isEmpty,
            target.count <= targetLimit, Self.isPlain(bytes[target])
        else { return nil }
        deciding[.cookie] = joinedCookies()
        return bytes.withUnsafeBytes { bytes in
            body(RequestView(bytes, method: method, target: target, authority: authority, fields: deciding))
        }
    }

    /// A path of ASCII without a fragment, which isn't sent (RFC 9113 §8.3.1).
    private static func isPlain(_ target: ArraySlice<UInt8>) -> Bool {
        target.first == UInt8(ascii: "/") && target.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "#") }
    }

    /// One field again, as everything but HTTP/2 has it (RFC 9113 §8.2.3).
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

    /// Calls `body` with each field in its order.
    func forEach<Failure: Error>(
        _ body: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        for field in all { try body(bytes[field.name], bytes[field.value]) }
    }
}
