import BundleStore

/// The result of `doctor`.
struct DoctorReport: Report {
    let findings: [Finding]
    let errorCount: Int
    let warningCount: Int
    /// Whether the text leaves out what is as it should be.
    private let isBrief: Bool

    private enum CodingKeys: CodingKey {
        case findings, errorCount, warningCount
    }

    init(_ findings: [Finding], isBrief: Bool = false) {
        self.findings = findings
        self.isBrief = isBrief
        errorCount = findings.count { $0.state == .error }
        warningCount = findings.count { $0.state == .warning }
    }

    var lines: [String] {
        let shown = isBrief ? findings.filter { $0.state != .ok } : findings
        guard !shown.isEmpty else { return [] }
        var table = Table([("STATE", .left), ("CHECK", .left), ("FINDING", .left)])
        for finding in shown {
            let remedy = finding.remedy.map { "; \($0)" } ?? ""
            table.add([finding.state.rawValue, finding.subject.rawValue, Printable.line(finding.message + remedy)])
        }
        guard !isBrief else { return table.lines }
        let counts = [Quantity.text(errorCount, "error"), Quantity.text(warningCount, "warning")]
        return table.lines + ["", counts.joined(separator: ", ")]
    }
}
