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

    /// - Parameter value: The value of a field; nil when the request doesn't have it.
    init(_ value: (DecidingField) -> UnsafeRawBufferPointer?) {
        ifMatch = value(.ifMatch)
        ifNoneMatch = value(.ifNoneMatch)
        ifModifiedSince = value(.ifModifiedSince)
        ifUnmodifiedSince = value(.ifUnmodifiedSince)
        ifRange = value(.ifRange)
        range = value(.range)
    }

    /// Calls `body` with the conditions of a request's fields, which are valid only during the call.
    static func withConditions<Result>(
        of fields: HTTPFields,
        _ body: (RequestConditions) throws -> Result
    ) rethrows -> Result {
        var bytes: [UInt8] = []
        var places: [(field: DecidingField, place: Range<Int>)] = []
        for field in DecidingField.conditions {
            let (lines, start) = (fields[fields: field.name], bytes.count)
            guard !lines.isEmpty else { continue }
            for (index, line) in lines.enumerated() {
                if index > 0 { bytes += ", ".utf8 }
                // The bytes as received: a tag may have some that aren't UTF-8.
                line.withUnsafeBytesOfValue { bytes += $0 }
            }
            places.append((field, start..<bytes.count))
        }
        return try bytes.withUnsafeBytes { bytes in
            let conditions = RequestConditions { field in
                places.first { $0.field == field }.map { UnsafeRawBufferPointer(rebasing: bytes[$0.place]) }
            }
            return try body(conditions)
        }
    }
}

/// The metadata by which a client's stored representation is validated (RFC 9110 §8.8).
public struct Validators: Hashable, Sendable {
    /// The entity tag, when there is one.
    public let entityTag: EntityTag?
    /// When the representation last changed, when that is known.
    public let lastModified: HTTPDate?
    /// Whether the date is a strong validator (§8.8.2.2).
    public let isDateStrong: Bool

    /// What `If-Modified-Since` is compared with when ``lastModified`` isn't known, see
    /// `Representation.conditionDate` of `BundleServing`.
    package var conditionDate: HTTPDate?

    /// Creates validators.
    public init(entityTag: EntityTag? = nil, lastModified: HTTPDate? = nil, isDateStrong: Bool = false) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.isDateStrong = isDateStrong
    }
}

/// The evaluation of a request's preconditions (RFC 9110 §13). Pure; safe from any thread.
enum Precondition {
    /// The outcome of a request's conditions.
    enum Outcome: Hashable, Sendable {
        /// Respond as if there were no conditions.
        case proceed
        /// The client has the representation already: 304.
        case notModified
        /// A condition doesn't hold: 412.
        case failed
    }

    /// Evaluates the conditions in the order of RFC 9110 §13.2.2. `If-Range` isn't among them: see ``IfRange``.
    ///
    /// - Parameters:
    ///   - method: The request's method. CONNECT, OPTIONS and TRACE have no representation to put conditions on
    ///     (§13.2.1).
    ///   - conditions: The request's conditions.
    ///   - validators: The validators of the representation that a GET would get with status 200, which must exist.
    static func evaluate(
        method: HTTPRequest.Method,
        _ conditions: RequestConditions,
        validators: Validators
    ) -> Outcome {
        guard ![.connect, .options, .trace].contains(method) else { return .proceed }
        return evaluate(isRead: method == .get || method == .head, conditions, validators: validators)
    }

    /// - Parameter isRead: Whether the method is GET or HEAD.
    static func evaluate(isRead: Bool, _ conditions: RequestConditions, validators: Validators) -> Outcome {
        guard isStillTheSame(conditions, validators) else { return .failed }
        if let value = conditions.ifNoneMatch {
            let matches = EntityTagCondition(value).includesWeakly(validators.entityTag)
            return !matches ? .proceed : isRead ? .notModified : .failed
        }
        return isRead && isUnmodified(since: conditions.ifModifiedSince, validators) ? .notModified : .proceed
    }

    /// Steps 1 and 2: `If-Match`, and without it `If-Unmodified-Since`, which is ignored when it isn't a date or when
    /// the representation has none (§13.1.4).
    private static func isStillTheSame(_ conditions: RequestConditions, _ validators: Validators) -> Bool {
        if let value = conditions.ifMatch { return EntityTagCondition(value).includesStrongly(validators.entityTag) }
        guard let value = conditions.ifUnmodifiedSince, let lastModified = validators.lastModified,
            let date = HTTPDate(value)
        else { return true }
        return lastModified <= date
    }

    /// Step 4: `If-Modified-Since`, ignored when it isn't a date or when the representation has none (§13.1.3), in whose
    /// place a cache uses another one (RFC 9111 §4.3.2).
    private static func isUnmodified(since value: UnsafeRawBufferPointer?, _ validators: Validators) -> Bool {
        guard let value, let lastModified = validators.lastModified ?? validators.conditionDate,
            let date = HTTPDate(value)
        else { return false }
        return lastModified <= date
    }
}

/// `If-Range` (RFC 9110 §13.1.5): a part is only requested of the representation whose other parts the client has.
/// Pure.
enum IfRange {
    /// Whether `Range` may be applied: there is no `If-Range`, its tag is the current one by strong comparison, or its
    /// date is exactly that of the last change and a strong validator. A value that is neither a tag nor a date doesn't
    /// hold, so that the client gets the whole content.
    static func holds(_ conditions: RequestConditions, validators: Validators) -> Bool {
        guard let value = conditions.ifRange else { return true }
        var scanner = FieldScanner(value)
        scanner.skipWhitespace()
        if let tag = scanner.entityTag() {
            scanner.skipWhitespace()
            guard scanner.isAtEnd, !tag.isWeak, let current = validators.entityTag, !current.isWeak else {
                return false
            }
            return current.bytes.elementsEqual(tag.opaque)
        }
        guard let date = HTTPDate(value) else { return false }
        return validators.isDateStrong && validators.lastModified == date
    }
}

/// How much of a representation is sent for a request: the steps of RFC 9110 §13.2.2 and §14.2. No other type evaluates
/// conditions or ranges. Pure.
package enum ResponseSelection: Equatable {
    /// All of it: 200.
    case whole
    /// The client has it: 304.
    case notModified
    /// A condition doesn't hold: 412.
    case preconditionFailed
    /// These parts, one or more: 206.
    case parts([Range<Int>])
    /// None of the requested parts exists: 416.
    case rangeNotSatisfiable

    /// - Parameters:
    ///   - isHead: Whether the request is a HEAD; otherwise it is a GET. Range has no meaning for HEAD (§14.2).
    ///   - validators: The validators of the representation, whose status is 200.
    ///   - length: The length of its content in bytes.
    package init(isHead: Bool, _ conditions: RequestConditions, validators: Validators, length: Int) {
        switch Precondition.evaluate(isRead: true, conditions, validators: validators) {
        case .failed: self = .preconditionFailed
        case .notModified: self = .notModified
        case .proceed: self = Self.selection(isHead: isHead, conditions, validators, length)
        }
    }

    /// As above.
    ///
    /// - Parameter fields: The request's fields.
    package init(isHead: Bool, of fields: HTTPFields, validators: Validators, length: Int) {
        self = RequestConditions.withConditions(of: fields) {
            ResponseSelection(isHead: isHead, $0, validators: validators, length: length)
        }
    }

    private static func selection(
        isHead: Bool,
        _ conditions: RequestConditions,
        _ validators: Validators,
        _ length: Int
    ) -> ResponseSelection {
        guard !isHead, let value = conditions.range, let ranges = ByteRangeSet(value),
            IfRange.holds(conditions, validators: validators)
        else { return .whole }
        switch ranges.selection(length: length) {
        case .whole: return .whole
        case .parts(let parts): return .parts(parts)
        case .unsatisfiable: return .rangeNotSatisfiable
        }
    }
}
