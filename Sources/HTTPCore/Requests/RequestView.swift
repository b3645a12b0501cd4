import HTTPTypes

/// Everything in a request that can change its response, borrowed from the received bytes: the same for all protocols.
///
/// It must not outlive the bytes. Creating one allocates nothing on the heap.
public struct RequestView {
    /// The methods that a view distinguishes.
    public enum Method: Sendable, Hashable {
        /// GET.
        case get
        /// HEAD.
        case head
        /// Any other.
        case other
    }

    /// The bytes that all parts refer to.
    public let bytes: UnsafeRawBufferPointer
    /// The method.
    public let method: Method
    /// The request's target (RFC 9112 §3.2).
    public let target: UnsafeRawBufferPointer
    /// Host and port as they were sent; nil when the request names none.
    public let authority: UnsafeRawBufferPointer?
    /// The positions of the deciding fields.
    public let fields: DecidingFields
    /// The position of the field lines, of a request in the form of HTTP/1.
    let lines: Range<Int>?

    /// Creates a view.
    public init(
        _ bytes: UnsafeRawBufferPointer,
        method: Method,
        target: Range<Int>,
        authority: Range<Int>?,
        fields: DecidingFields
    ) {
        self.init(bytes, method: method, target: target, authority: authority, fields: fields, lines: nil)
    }

    init(
        _ bytes: UnsafeRawBufferPointer,
        method: Method,
        target: Range<Int>,
        authority: Range<Int>?,
        fields: DecidingFields,
        lines: Range<Int>?
    ) {
        self.bytes = bytes
        self.lines = lines
        self.method = method
        self.target = UnsafeRawBufferPointer(rebasing: bytes[target])
        self.authority = authority.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
        self.fields = fields
    }

    /// A field's value; nil when the request doesn't have the field.
    public subscript(field: DecidingField) -> UnsafeRawBufferPointer? {
        fields[field].map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
    }

    /// Calls `body` with the value of each line of a field, in order, whether or not it is a deciding field.
    ///
    /// - Returns: False when the view doesn't have the lines, and all fields of the request have to be looked at.
    package func forEachValue(of name: String, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        guard let lines else { return false }
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<lines.upperBound])
        HeadBytes.forEachField(in: head, from: lines.lowerBound) {
            guard $0.count == name.utf8.count, bytes[$0].isSameName(as: name.utf8) else { return }
            body(UnsafeRawBufferPointer(rebasing: bytes[$1]))
        }
        return true
    }

    /// The target without its query.
    public var path: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: target.prefix { $0 != UInt8(ascii: "?") })
    }

    /// The request's conditions and its range.
    public var conditions: RequestConditions { RequestConditions { self[$0] } }

    /// Whether the request has a range. Range has no meaning for HEAD (RFC 9110 §14.2).
    public var asksForPart: Bool { method == .get && fields.contains(.range) }

    /// A request with all its fields, as a GET without its conditions, and with an invalid range in place of its own: it
    /// gets the whole of the representation that parts are sent of.
    ///
    /// - Parameter request: The request of this view.
    package func unconditional(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.method = .get
        for field in DecidingField.conditions { request.headerFields[field.name] = nil }
        if asksForPart { request.headerFields[.range] = "none" }
        return request
    }
}
