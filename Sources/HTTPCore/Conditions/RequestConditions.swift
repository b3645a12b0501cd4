import HTTPTypes

/// The values of a request's conditions and its range, as bytes that must outlive this value.
public struct RequestConditions {
    /// `If-Match` (RFC 9110 §13.1.1).
    public var ifMatch: UnsafeRawBufferPointer?
    /// `If-None-Match` (§13.1.2).
    public var ifNoneMatch: UnsafeRawBufferPointer?
    /// `If-Modified-Since` (§13.1.3).
    public var ifModifiedSince: UnsafeRawBufferPointer?
    /// `If-Unmodified-Since` (§13.1.4).
    public var ifUnmodifiedSince: UnsafeRawBufferPointer?
    /// `If-Range` (§13.1.5).
    public var ifRange: UnsafeRawBufferPointer?
    /// `Range` (§14.2).
    public var range: UnsafeRawBufferPointer?

    /// No condition.
    public init() {}

    /// Calls `body` with the conditions of a request's fields, which are valid only during the call.
    public static func withConditions<Result>(
        of fields: HTTPFields,
        _ body: (RequestConditions) throws -> Result
    ) rethrows -> Result {
        var bytes: [UInt8] = []
        let places = conditions.map { name, _ -> Range<Int>? in
            let lines = fields[fields: name]
            guard !lines.isEmpty else { return nil }
            let start = bytes.count
            for (index, line) in lines.enumerated() {
                if index > 0 { bytes += ", ".utf8 }
                // The bytes as received: a tag may have some that aren't UTF-8.
                line.withUnsafeBytesOfValue { bytes += $0 }
            }
            return start..<bytes.count
        }
        return try bytes.withUnsafeBytes { bytes in
            var lent = RequestConditions()
            for ((_, property), place) in zip(conditions, places) {
                lent[keyPath: property] = place.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
            }
            return try body(lent)
        }
    }

    private static var conditions: [(HTTPField.Name, WritableKeyPath<RequestConditions, UnsafeRawBufferPointer?>)] {
        [
            (.ifMatch, \.ifMatch), (.ifNoneMatch, \.ifNoneMatch), (.ifModifiedSince, \.ifModifiedSince),
            (.ifUnmodifiedSince, \.ifUnmodifiedSince), (.ifRange, \.ifRange), (.range, \.range),
        ]
    }
}
