import BundleStore

/// The result of `mark-good`.
struct ConfirmationSummary: Report {
    let name: String
    let version: String
    /// Whether the release had to be confirmed.
    let wasOnProbation: Bool

    init(_ name: BundleName, _ version: BundleVersion, wasOnProbation: Bool) {
        (self.name, self.version, self.wasOnProbation) = (name.string, version.string, wasOnProbation)
    }

    var lines: [String] {
        wasOnProbation ? ["\(name)@\(version) is confirmed"] : ["\(name)@\(version) needs no confirmation"]
    }
}
