import HTTPTypes

/// The conditions that a request puts on being carried out (RFC 9110 §13). Pure; safe from any thread.
public enum Precondition {
    /// What follows from a request's conditions.
    public enum Outcome: Hashable, Sendable {
        /// Answer as if there were no conditions.
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
    ///   - fields: The request's fields.
    ///   - validators: Those of the representation that a GET would get with status 200. It must exist.
    public static func evaluate(
        method: HTTPRequest.Method,
        fields: HTTPFields,
        validators: Validators
    ) -> Outcome {
        guard ![.connect, .options, .trace].contains(method) else { return .proceed }
        guard isStillTheSame(fields, validators) else { return .failed }
        let reads = method == .get || method == .head
        if let value = fields[.ifNoneMatch] {
            let matches = EntityTagCondition(value).includes(validators.entityTag, by: EntityTag.weaklyMatches)
            return !matches ? .proceed : reads ? .notModified : .failed
        }
        return reads && isUnmodified(since: fields[.ifModifiedSince], validators) ? .notModified : .proceed
    }

    /// Steps 1 and 2: `If-Match`, and without it `If-Unmodified-Since`, which is ignored when it isn't a date or when the
    /// representation has none (§13.1.4).
    private static func isStillTheSame(_ fields: HTTPFields, _ validators: Validators) -> Bool {
        if let value = fields[.ifMatch] {
            return EntityTagCondition(value).includes(validators.entityTag, by: EntityTag.stronglyMatches)
        }
        guard let value = fields[.ifUnmodifiedSince], let date = HTTPDate(value),
            let lastModified = validators.lastModified
        else { return true }
        return lastModified <= date
    }

    /// Step 4: `If-Modified-Since`, ignored when it isn't a date or when the representation has none (§13.1.3).
    private static func isUnmodified(since value: String?, _ validators: Validators) -> Bool {
        guard let value, let date = HTTPDate(value), let lastModified = validators.lastModified else { return false }
        return lastModified <= date
    }
}
