import ArgumentParser
import BundleStore

/// `NAME` or `NAME@VERSION` on the command line.
struct BundleReference: ExpressibleByArgument, Equatable {
    let name: BundleName
    let version: BundleVersion?

    init?(argument: String) {
        let parts = argument.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let name = BundleName(parts[0]) else { return nil }
        guard parts.count == 2 else {
            (self.name, version) = (name, nil)
            return
        }
        guard let version = BundleVersion(parts[1]) else { return nil }
        (self.name, self.version) = (name, version)
    }

    /// The release that is meant: the version named, else the active one, else the latest installed.
    ///
    /// - Throws: `BundleError` with code `invalidArgument` when the store doesn't hold it.
    func release(in store: BundleStore) throws(BundleError) -> Release {
        let bundle = try store.bundle(name)
        guard let release = version.map(bundle.release) ?? bundle.current else {
            let installed = bundle.releases.map(\.version.string).joined(separator: ", ")
            let label = "\(name)\(version.map { "@\($0)" } ?? "")"
            throw BundleError(.invalidArgument, "\(label) is not installed; installed: \(installed)")
        }
        return release
    }
}
