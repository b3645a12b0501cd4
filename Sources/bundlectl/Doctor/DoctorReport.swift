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
        let table = Table.lines(
            of: shown,
            [
                .left("STATE") { $0.state.rawValue }, .left("CHECK") { $0.subject.rawValue },
                .left("FINDING") { Printable.line($0.message + ($0.remedy.map { "; \($0)" } ?? "")) },
            ]
        )
        guard !isBrief else { return table }
        return table + ["", "\(Quantity.text(errorCount, "error")), \(Quantity.text(warningCount, "warning"))"]
    }
}

/// What `doctor` says of one thing that it has looked at.
struct Finding: Encodable, Equatable {
    /// How bad it is.
    enum State: String, Encodable, CaseIterable {
        case ok, warning, error
    }

    /// What was looked at.
    enum Subject: String, Encodable, CaseIterable {
        case store, permissions, disk, catalog, bundles, network, trust, clock, certificates, socket, leftovers
    }

    let state: State
    let subject: Subject
    /// What it is, and where.
    let message: String
    /// What to do, a command where there is one; nil when there is nothing to do, or the message says it.
    let remedy: String?

    init(_ state: State, _ subject: Subject, _ message: String, remedy: String? = nil) {
        (self.state, self.subject, self.message, self.remedy) = (state, subject, message, remedy)
    }

    /// What an error says that came in the way.
    init(_ subject: Subject, _ error: any Error, _ state: State = .error) {
        let known = error as? BundleError
        self.init(state, subject, known?.problem ?? "\(error)", remedy: known?.remedy.map(Advice.text))
    }
}
