import ArgumentParser
import BundlePublishing
import BundleStore

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

/// The result of checking a release for what would miss offline.
struct LintSummary: Report {
    struct Finding: Encodable {
        let code: String
        let isError: Bool
        let file: String?
        let line: Int?
        let message: String
    }

    struct TypeSize: Encodable {
        let mediaType: String
        let fileCount: Int
        let byteCount: Int64
        let byteCountBefore: Int64?
    }

    let findings: [Finding]
    let findingCount: Int
    let errorCount: Int
    let sizes: [TypeSize]

    init(_ report: LintReport) {
        findings = report.findings.map {
            Finding(code: $0.code.rawValue, isError: $0.isError, file: $0.file, line: $0.line, message: $0.message)
        }
        findingCount = report.findingCount
        errorCount = report.errorCount
        sizes = report.sizes.map {
            TypeSize(
                mediaType: $0.mediaType,
                fileCount: $0.fileCount,
                byteCount: $0.byteCount,
                byteCountBefore: $0.byteCountBefore
            )
        }
    }

    /// The sizes, and that there is something wrong; the findings are on standard error.
    var lines: [String] {
        let verdict =
            errorCount > 0
            ? "\(Quantity.text(errorCount, "error")): this release would miss something offline"
            : "nothing would miss offline"
        return table + [verdict]
    }

    private var table: [String] {
        Table.lines(
            of: sizes,
            [
                .left("MEDIA TYPE") { Printable.line($0.mediaType) }, .right("FILES") { String($0.fileCount) },
                .right("SIZE") { ByteCount.text($0.byteCount) },
                .right("BEFORE") { $0.byteCountBefore.map(ByteCount.text) ?? "" },
            ]
        )
    }

    /// A finding in one line, with its place as compilers write it.
    static func line(_ finding: LintFinding) -> String {
        let place = [finding.file.map(Printable.line), finding.line.map(String.init)].compactMap(\.self)
        return (place + [place.isEmpty ? finding.message : " " + finding.message]).joined(separator: ":")
    }
}
