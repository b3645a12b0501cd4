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
