/// What a verb with `--dry-run` would report without it.
struct DryRun<Base: Report>: Report {
    private enum CodingKeys: CodingKey {
        case isDryRun
    }

    private let base: Base

    init(_ base: Base) {
        self.base = base
    }

    var lines: [String] {
        let lines = base.lines
        guard !lines.isEmpty else { return ["dry run: nothing would be done"] }
        return ["dry run, nothing was changed; without --dry-run the report would be:"] + lines.map { "  \($0)" }
    }

    /// The document of the report, with a key that tells it apart.
    func encode(to encoder: any Encoder) throws {
        try base.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(true, forKey: .isDryRun)
    }
}
