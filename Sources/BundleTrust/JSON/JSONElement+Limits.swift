import BundleModel
import Foundation

/// What documents consist of, within limits.
extension JSONElement {
    /// The elements of a list.
    func elements(atMost maximumCount: Int) throws(BundleError) -> [JSONElement] {
        try checkCount(maximumCount)
        return try array()
    }

    /// The members of an object.
    func members(atMost maximumCount: Int) throws(BundleError) -> [(key: String, element: JSONElement)] {
        try checkCount(maximumCount)
        return try members()
    }

    private func checkCount(_ maximumCount: Int) throws(BundleError) {
        guard count <= maximumCount else { throw refused("has \(count) entries; the limit is \(maximumCount)") }
    }

    /// The string, of up to so many bytes.
    func text(atMost maximumByteCount: Int) throws(BundleError) -> String {
        let text = try string()
        guard text.utf8.count <= maximumByteCount else {
            throw refused("has \(text.utf8.count) bytes; the limit is \(maximumByteCount)")
        }
        return text
    }

    /// The texts of a list.
    func texts(_ maximumCount: Int, ofAtMost maximumByteCount: Int) throws(BundleError) -> [String] {
        try elements(atMost: maximumCount).map { element throws(BundleError) in
            try element.text(atMost: maximumByteCount)
        }
    }

    /// An integer from 1, such as a version.
    package func positiveInteger() throws(BundleError) -> Int { try integer(from: 1) }

    /// An integer from `minimum`.
    func integer(from minimum: Int) throws(BundleError) -> Int {
        guard case .number(let number) = value, let integer = number.int64.flatMap(Int.init(exactly:)),
            integer >= minimum
        else { throw mismatch("an integer from \(minimum)") }
        return integer
    }

    /// True or false.
    func boolean() throws(BundleError) -> Bool {
        guard case .bool(let value) = value else { throw mismatch("true or false") }
        return value
    }

    /// A time as the specification writes it (4.2.1): `2030-01-01T00:00:00Z`.
    func time() throws(BundleError) -> Date {
        let text = try text(atMost: 20)
        // The format style reads more than it writes.
        guard let time = try? Date(text, strategy: .iso8601), time.formatted(.iso8601) == text else {
            throw refused("must be a time such as 2030-01-01T00:00:00Z")
        }
        return time
    }
}
