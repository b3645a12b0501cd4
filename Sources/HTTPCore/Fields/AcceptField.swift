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
