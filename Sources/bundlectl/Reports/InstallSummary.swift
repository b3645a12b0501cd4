import BundleInstall
import BundleNetwork
import BundleStore

/// The result of `install`.
struct InstallSummary: Report {
    /// What changed, in the words of the JSON document.
    enum Outcome: String, Encodable {
        case installed, activated, unchanged
    }

    let name: String
    let version: String
    let outcome: Outcome
    let isActive: Bool
    let fileCount: Int
    let byteCount: Int64
    let newByteCount: Int64
    let warnings: [String]
    /// Nil for an archive.
    let leftOut: [String]?
    /// Nil when there is none.
    let removed: [RemovedVersion]?
    /// Nil when there is none.
    let droppedResponseCount: Int?
    /// Nil when the manifest names nothing to fetch ahead, or nothing was to be fetched.
    let precache: PrecacheSummary?
    private let removalLines: [String]

    private enum CodingKeys: CodingKey {
        case name, version, outcome, isActive, fileCount, byteCount, newByteCount, warnings, leftOut
        case removed, droppedResponseCount, precache
    }

    /// - Parameters:
    ///   - pruned: What the subsequent pruning has removed.
    ///   - ahead: What was fetched ahead afterwards.
    init(
        _ report: InstallReport,
        isActive: Bool,
        warnings: [String],
        pruned: [RemovedRelease],
        precache ahead: PrecacheReport? = nil
    ) {
        precache = ahead.map(PrecacheSummary.init)
        name = report.name.string
        version = report.version.string
        outcome =
            switch report.outcome {
            case .installed: .installed
            case .activated: .activated
            case .unchanged: .unchanged
            }
        self.isActive = isActive
        fileCount = report.fileCount
        byteCount = Int64(clamping: report.byteCount)
        newByteCount = Int64(clamping: report.newByteCount)
        self.warnings = warnings
        leftOut = report.leftOut
        let (quotaRemoval, all) = (report.quotaRemoval, report.quotaRemoval.releases + pruned)
        removed = all.isEmpty ? nil : all.map(RemovedVersion.init)
        droppedResponseCount = quotaRemoval.responseCount > 0 ? quotaRemoval.responseCount : nil
        removalLines = quotaRemoval.responseLines + all.map { RemovedVersion($0).line }
    }

    var lines: [String] {
        [line, leftOut.flatMap(LeftOutNames.line)].compactMap(\.self) + removalLines
            + (precache.map { [$0.line] } ?? [])
    }

    private var line: String {
        let state = isActive ? "active" : "not active"
        switch outcome {
        case .installed:
            let sizes =
                "\(Quantity.text(fileCount, "file")), \(ByteCount.text(byteCount)), \(ByteCount.text(newByteCount)) of it new"
            return "installed \(name)@\(version) (\(sizes)); it is \(state)"
        case .activated: return "\(name)@\(version) was installed already; it is active now"
        case .unchanged: return "\(name)@\(version) is installed already and \(state); nothing has changed"
        }
    }
}
