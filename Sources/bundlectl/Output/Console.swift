import BundleStore

/// Where a verb's words go.
struct Console {
    /// The format of reports.
    enum Format {
        case text, json
    }

    let format: Format
    let isQuiet: Bool

    /// Prints a report to standard output: as JSON, or as lines unless quiet.
    func report(_ report: some Report) throws {
        switch format {
        case .json: try StandardStreams.write(try JSONDocument.text(of: report))
        case .text where isQuiet: break
        case .text: try StandardStreams.write(report.lines.map { $0 + "\n" }.joined())
        }
    }

    /// Prints warnings to standard error unless quiet.
    func warn(_ warnings: [String]) {
        if !isQuiet { warnings.forEach(Diagnostics.warn) }
    }

    /// Prints warnings to standard error unless quiet.
    func warn(_ warnings: [Notice]) { warn(warnings.map(Advice.line)) }

    /// Runs work that may take a while, with a progress bar on a terminal.
    func showingProgress<Result>(_ label: String, _ work: (ProgressBar) throws -> Result) rethrows -> Result {
        let bar = ProgressBar(label, on: isQuiet ? nil : .standardError)
        defer { bar.finish() }
        return try work(bar)
    }

    /// Runs work that may take a while, with a progress bar on a terminal.
    func showingProgress<Result>(
        _ label: String,
        _ work: (ProgressBar) async throws -> Result
    ) async rethrows -> Result {
        let bar = ProgressBar(label, on: isQuiet ? nil : .standardError)
        defer { bar.finish() }
        return try await work(bar)
    }
}
