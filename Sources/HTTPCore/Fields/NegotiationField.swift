import BundleModel
import HTTPTypes

/// A list of what a client prefers, each with a weight: `Accept`, `Accept-Encoding` or `Accept-Language` (RFC 9110
/// §12.5.1, §12.5.3, §12.5.4). Pure; a value type.
///
/// Two fields with the same members and weights mean the same: neither the order of members, nor the case of names, nor
/// white space says anything. Some servers take the order for a preference among equal weights, which §12.5.4 says
/// can't be relied upon.
package struct NegotiationField: Hashable, Sendable {
    /// What is preferred, and how much, in thousandths.
    package struct Member: Hashable, Sendable {
        /// The name in a form in which all spellings are equal.
        package let name: [UInt8]
        /// 0 to 1,000; 0 when it isn't acceptable at all.
        package let weight: Int
    }

    /// Sorted, so that equal fields have the same members.
    package let members: [Member]

    /// Whether the value of a request field of this name is such a list.
    package static func isOne(_ name: HTTPField.Name) -> Bool {
        [.accept, .acceptEncoding, .acceptLanguage].contains(name)
    }

    /// Reads all lines of the field. Returns nil for a name that ``isOne(_:)`` isn't, and for a malformed value, about
    /// whose meaning nothing is known.
    package init?(_ name: HTTPField.Name, of fields: HTTPFields) {
        guard Self.isOne(name) else { return nil }
        var members: [Member] = []
        for line in fields[fields: name] {
            let read = line.withUnsafeBytesOfValue { Self.members($0, areMediaTypes: name == .accept) }
            guard let read else { return nil }
            members += read
        }
        self.members = members.sorted(by: Self.isBefore)
    }

    /// The name with the highest weight; nil when several have it, or it is a wildcard, or nothing is acceptable.
    package var favourite: [UInt8]? {
        guard let highest = members.map(\.weight).max(), highest > 0 else { return nil }
        let best = members.filter { $0.weight == highest }
        guard best.count == 1, let name = best.first?.name, !name.contains(UInt8(ascii: "*")) else { return nil }
        return name
    }

    private static func isBefore(_ left: Member, _ right: Member) -> Bool {
        left.name == right.name ? left.weight < right.weight : left.name.lexicographicallyPrecedes(right.name)
    }

    /// Nil when one of them is malformed.
    private static func members(_ line: UnsafeBufferPointer<UInt8>, areMediaTypes: Bool) -> [Member]? {
        var scanner = FieldScanner(UnsafeRawBufferPointer(line))
        var members: [Member] = []
        while scanner.nextMember() {
            guard let name = areMediaTypes ? scanner.mediaType() : scanner.lowercasedToken(),
                let parameters = scanner.parameters(), scanner.memberEnds(),
                let member = member(name, parameters)
            else { return nil }
            members.append(member)
        }
        return members
    }

    /// The parameters before the weight belong to a media type (§12.5.1).
    private static func member(_ name: String, _ parameters: [(name: String, value: String)]) -> Member? {
        var (bytes, weight) = (Array(name.utf8), 1_000)
        for (index, parameter) in parameters.enumerated() {
            if parameter.name == "q" {
                guard index == parameters.count - 1, let value = QualityValue.thousandths(of: parameter.value.utf8)
                else { return nil }
                weight = value
            } else {
                // Quoted or not, a value is the same (§5.6.6); its length keeps it apart from what follows.
                bytes += ";\(parameter.name)=\(parameter.value.utf8.count):\(parameter.value)".utf8
            }
        }
        return bytes.containsReplacementCharacter ? nil : Member(name: bytes, weight: weight)
    }
}

extension FieldScanner {
    fileprivate mutating func lowercasedToken() -> String? {
        token().map { String(decoding: $0.map(\.asciiLowercased), as: UTF8.self) }
    }
}

/// The value of `Accept` (RFC 9110 §12.5.1).
package struct AcceptField {
    /// The media types in lower case, wildcards included, each with its weight in thousandths.
    package let members: [(mediaType: String, weight: Int)]

    /// Parses a field value. Malformed members are left out.
    package init(_ fieldValue: String) {
        var scanner = FieldScanner(fieldValue)
        var members: [(mediaType: String, weight: Int)] = []
        while scanner.nextMember() {
            if let type = scanner.mediaType(), let parameters = scanner.parameters(), scanner.memberEnds(),
                let weight = Self.weight(in: parameters)
            {
                members.append((type, weight))
            } else {
                scanner.skipMember()
            }
        }
        self.members = members
    }

    /// Whether `mediaType` is accepted by name, not through a wildcard.
    package func names(_ mediaType: String) -> Bool {
        members.contains { $0.mediaType == mediaType && $0.weight > 0 }
    }

    /// A weight (§12.4.2) in thousandths, 1,000 when there is none; nil when it isn't from 0 to 1 with three decimals.
    private static func weight(in parameters: [(name: String, value: String)]) -> Int? {
        guard let value = parameters.first(where: { $0.name == "q" })?.value else { return 1_000 }
        return QualityValue.thousandths(of: value.utf8)
    }
}

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
