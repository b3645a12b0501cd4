import HTTPTypes

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
