/// Header fields for the responses whose path a pattern covers. A value type; safe to share between threads.
public struct HeaderRule: Equatable, Sendable {
    /// The paths.
    public let pattern: PathPattern
    /// The fields, ordered by name without regard to case. No name appears twice.
    public let fields: [HeaderField]

    /// Sets `fields` where `pattern` matches. Of two fields of the same name the later is kept.
    public init(pattern: PathPattern, fields: [HeaderField]) {
        self.pattern = pattern
        self.fields = HeaderRule.merged([fields])
    }

    /// The rule for the fields that a bundle may set.
    var withoutOriginWideFields: HeaderRule {
        HeaderRule(pattern: pattern, fields: fields.filter { !OriginWideField.isRefused(inManifest: $0.name) })
    }

    /// One rule for each pattern, ordered from the general pattern to the specific.
    static func ordered(_ rules: [HeaderRule]) -> [HeaderRule] {
        Dictionary(grouping: rules, by: \.pattern)
            .map { HeaderRule(pattern: $0, fields: Array($1.map(\.fields).joined())) }
            .sorted { $0.pattern < $1.pattern }
    }

    /// The fields of all `lists`, a later one in place of an earlier one of the same name, ordered by name.
    static func merged(_ lists: [[HeaderField]]) -> [HeaderField] {
        var fields: [String: HeaderField] = [:]
        for field in lists.joined() { fields[field.name.lowercased()] = field }
        return fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
    }
}
