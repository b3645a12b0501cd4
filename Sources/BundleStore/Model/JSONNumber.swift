/// A JSON number as it was written: any length, any precision (RFC 8259 §6).
package struct JSONNumber: Equatable, Sendable {
    /// The number's text, for example `-1.5e3`.
    package let text: String

    /// Takes text that the parser found well-formed.
    init(wellFormed text: String) {
        self.text = text
    }

    /// Writes `value` in digits.
    package init(_ value: Int64) {
        text = String(value)
    }

    /// The number when it is written without fraction and exponent and fits 64 bits, else nil.
    package var int64: Int64? { Int64(text) }
}
