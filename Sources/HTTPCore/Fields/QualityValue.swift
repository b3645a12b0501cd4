import BundleModel


/// A weight (RFC 9110 §12.4.2), in thousandths.
package enum QualityValue {
    /// Parses `0` to `1` with at most three decimals. Returns nil for anything else.
    package static func thousandths(of text: some Collection<UInt8>) -> Int? {
        guard text.count <= 5, let first = text.first, ASCII.isDigit(first) else { return nil }
        var (weight, unit) = (1_000 * Int(first - UInt8(ascii: "0")), 100)
        let rest = text.dropFirst()
        guard rest.first ?? UInt8(ascii: ".") == UInt8(ascii: ".") else { return nil }
        for digit in rest.dropFirst() {
            guard ASCII.isDigit(digit) else { return nil }
            weight += unit * Int(digit - UInt8(ascii: "0"))
            unit /= 10
        }
        return weight <= 1_000 ? weight : nil
    }
}
