import HTTPTypes

/// `If-Range` (RFC 9110 §13.1.5): a part is only wanted of the representation whose other parts the client has. Pure; safe
/// from any thread.
public enum IfRange {
    /// Whether `Range` may be obeyed: there is no `If-Range`, its tag is the current one by strong comparison, or its date
    /// is the very second of the last change and a strong validator. What is neither tag nor date doesn't hold, so that the
    /// client gets the whole.
    public static func holds(_ fields: HTTPFields, validators: Validators) -> Bool {
        guard let value = fields[.ifRange] else { return true }
        if let tag = EntityTag(value) { return validators.entityTag?.stronglyMatches(tag) ?? false }
        guard let date = HTTPDate(value) else { return false }
        return validators.isDateStrong && validators.lastModified == date
    }
}
