import HTTPTypes

/// What a request says that can change its response, borrowed from the bytes that were received: the same whichever protocol they
/// came in.
///
/// It must not outlive the bytes. Making one takes nothing from the heap.
public struct RequestView {
    /// The methods that are told apart.
    public enum Method: Sendable, Hashable {
        /// GET.
        case get
        /// HEAD.
        case head
        /// Any other.
        case other
    }

    /// The bytes that everything is a part of.
    public let bytes: UnsafeRawBufferPointer
    /// The method.
    public let method: Method
    /// The request's target (RFC 9112 §3.2).
    public let target: UnsafeRawBufferPointer
    /// Host and port as they were sent; nil when the request names none.
    public let authority: UnsafeRawBufferPointer?
    /// Where the deciding fields are.
    public let fields: DecidingFields

    /// Joins the parts.
    public init(
        _ bytes: UnsafeRawBufferPointer,
        method: Method,
        target: Range<Int>,
        authority: Range<Int>?,
        fields: DecidingFields
    ) {
        self.bytes = bytes
        self.method = method
        self.target = UnsafeRawBufferPointer(rebasing: bytes[target])
        self.authority = authority.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
        self.fields = fields
    }

    /// A field's value; nil when the request doesn't have the field.
    public subscript(field: DecidingField) -> UnsafeRawBufferPointer? {
        fields[field].map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
    }

    /// The target without its query.
    public var path: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: target.prefix { $0 != UInt8(ascii: "?") })
    }

    /// The request's conditions, and the part that it asks for.
    public var conditions: RequestConditions {
        var conditions = RequestConditions()
        conditions.ifMatch = self[.ifMatch]
        conditions.ifNoneMatch = self[.ifNoneMatch]
        conditions.ifModifiedSince = self[.ifModifiedSince]
        conditions.ifUnmodifiedSince = self[.ifUnmodifiedSince]
        conditions.ifRange = self[.ifRange]
        conditions.range = self[.range]
        return conditions
    }

    /// Whether the request asks for a part of the content. Range has no meaning for HEAD (RFC 9110 §14.2).
    public var asksForPart: Bool { method == .get && fields.contains(.range) }

    /// The request as responders take it, with the deciding fields alone. Of the cookies only those of this server are left.
    public var request: HTTPRequest { request { _ in true } }

    /// The same as a GET without its conditions, and with a range that has no meaning in place of the one that it asks for: it gets the whole
    /// of the representation that parts are sent of.
    package var unconditionalRequest: HTTPRequest {
        var request = request { !$0.isCondition }
        request.method = .get
        if asksForPart { request.headerFields[.range] = "none" }
        return request
    }

    private func request(_ isWanted: (DecidingField) -> Bool) -> HTTPRequest {
        var request = HTTPRequest(
            method: method == .head ? .head : .get,
            scheme: nil,
            authority: authority.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) },
            path: String(decoding: target, as: UTF8.self)
        )
        fields.forEach { field, place in
            guard isWanted(field) else { return }
            let value = String(decoding: bytes[place], as: UTF8.self)
            request.headerFields[field.name] = field == .cookie ? VersionCookies.kept(in: value) : value
        }
        return request
    }
}
