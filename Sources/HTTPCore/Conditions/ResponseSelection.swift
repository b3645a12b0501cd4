/// How much of a representation is sent for a request: the steps of RFC 9110 §13.2.2 and §14.2. Pure.
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
