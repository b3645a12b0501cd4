/// The part that a `Range` field requests, given the body's length (RFC 9110 section 14.2).
enum RequestedRange: Equatable {
    /// Everything: there is no range, or one that may be ignored.
    case whole
    /// These bytes; not empty.
    case part(Range<Int>)
    /// Bytes that the body doesn't have.
    case unsatisfiable

    init(_ field: String?, length: Int) {
        guard let field, field.hasPrefix("bytes="), !field.contains(",") else {
            self = .whole
            return
        }
        let bounds = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else {
            self = .whole
            return
        }
        self =
            switch (Int(bounds[0]), Int(bounds[1])) {
            case (let first?, let last?) where first <= last: RequestedRange(from: first, through: last, length)
            case (let first?, nil) where bounds[1].isEmpty: RequestedRange(from: first, through: .max, length)
            case (nil, let count?) where bounds[0].isEmpty: RequestedRange(last: count, length)
            default: .whole
            }
    }

    private init(from first: Int, through last: Int, _ length: Int) {
        self = first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
    }

    private init(last count: Int, _ length: Int) {
        self = count > 0 && length > 0 ? .part(max(0, length - count)..<length) : .unsatisfiable
    }
}
