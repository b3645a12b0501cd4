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
