import ArgumentParser
import BundleStore

/// Whether a verb only says what it would do.
struct DryRunOptions: ParsableArguments {
    @Flag(
        name: .customLong("dry-run"),
        help:
            "Say what would be done, and change nothing. The work is done on a copy of the catalog in the temporary folder."
    )
    var isOn = false

    /// Opens the store, or what stands for it, while `body` uses it.
    ///
    /// - Parameters:
    ///   - options: Which store.
    ///   - creating: Whether the verb makes a store where there is none.
    ///   - open: Opens it, when the verb is to change it.
    func using<Result>(
        _ options: StoreOptions,
        creating: Bool = false,
        open: () throws -> BundleStore,
        _ body: (BundleStore) async throws -> Result
    ) async throws -> Result {
        guard isOn else { return try await body(open()) }
        let rehearsal = try RehearsalStore(of: options.path, creating: creating)
        do {
            return try await body(rehearsal.store)
        } catch {
            throw rehearsal.original(error)
        }
    }

    /// The report of what was done, or would be.
    func report(_ report: some Report, to console: Console) throws {
        if isOn { try console.report(DryRun(report)) } else { try console.report(report) }
    }
}

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
