/// Header fields for the responses whose path a pattern covers. A value type; safe to share between threads.
public struct HeaderRule: Equatable, Sendable {
    /// The paths that the rule applies to.
    public let pattern: PathPattern
    /// The fields, ordered case-insensitively by name. No name appears twice.
    public let fields: [HeaderField]

    /// Sets `fields` where `pattern` matches. If two fields have the same name, the later one is kept.
    public init(pattern: PathPattern, fields: [HeaderField]) {
        self.pattern = pattern
        self.fields = HeaderRule.merged([fields])
    }

    /// The rule with only the fields that a bundle may set.
    var withoutOriginWideFields: HeaderRule {
        HeaderRule(pattern: pattern, fields: fields.filter { !OriginWideField.isRefused(inManifest: $0.name) })
    }

    /// One rule for each pattern, ordered from the general pattern to the specific.
    static func ordered(_ rules: [HeaderRule]) -> [HeaderRule] {
        Dictionary(grouping: rules, by: \.pattern)
            .map { HeaderRule(pattern: $0, fields: Array($1.map(\.fields).joined())) }
            .sorted { $0.pattern < $1.pattern }
    }

    /// The fields of all `lists`, ordered by name; a later field replaces an earlier one of the same name.
    static func merged(_ lists: [[HeaderField]]) -> [HeaderField] {
        var fields: [String: HeaderField] = [:]
        for field in lists.joined() { fields[field.name.lowercased()] = field }
        return fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
    }
}
