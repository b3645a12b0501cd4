import BundleStore

/// The result of `remove`.
struct RemovalSummary: Report {
    let name: String
    let versions: [String]

    init(_ name: BundleName, _ versions: [BundleVersion]) {
        self.name = name.string
        self.versions = versions.map(\.string)
    }

    var lines: [String] {
        // A release that can't be read has no version.
        ["removed \(versions.isEmpty ? name : versions.map { "\(name)@\($0)" }.joined(separator: ", "))"]
    }
}
