
/// A dictionary of structured fields (RFC 9651 §3.2), read by the algorithm of §4.2: one deviation from the grammar, and
/// there is no dictionary at all. Pure; a value type.
package struct StructuredDictionary: Hashable, Sendable {
    /// What a member is; parameters aren't kept.
    package enum Value: Hashable, Sendable {
        /// `?1`, `?0`, or a member without a value, which is true.
        case boolean(Bool)
        /// A number without a fraction.
        case integer(Int)
        /// A string in quotes.
        case string(String)
        /// A token.
        case token(String)
        /// A number with a fraction, a byte sequence, a date, a display string, or an inner list.
        case other
    }

    /// The members by key; of several with one key the last counts.
    package let members: [String: Value]

    /// Reads the value of a field; several lines of it must be joined with commas. Returns nil when it isn't a
    /// dictionary; an empty one has no members.
    package init?(_ fieldValue: String) {
        var parser = StructuredFieldParser(fieldValue)
        guard let members = parser.dictionary() else { return nil }
        self.members = members
    }
}
