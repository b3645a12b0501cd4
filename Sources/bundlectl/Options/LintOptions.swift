import ArgumentParser
import BundlePublishing

/// How a release is checked for what would miss offline.
struct LintOptions: ParsableArguments {
    @Option(
        name: .customLong("allow-external"),
        help: ArgumentHelp(
            "With the check: URLs that begin so may be elsewhere; may be repeated.",
            valueName: "url"
        )
    )
    var allowed: [String] = []

    /// Prints what a check has found.
    ///
    /// - Parameter asWarnings: Whether errors, too, are only warnings.
    /// - Returns: The report.
    func report(_ report: LintReport, asWarnings: Bool = false, _ console: Console) -> LintSummary {
        for finding in report.findings {
            let line = LintSummary.line(finding)
            if finding.isError, !asWarnings { Diagnostics.report(line) } else { console.warn([line]) }
        }
        if report.findingCount > report.findings.count {
            console.warn(["\(report.findingCount - report.findings.count) more findings aren't shown"])
        }
        return LintSummary(report)
    }
}
