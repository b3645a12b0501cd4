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

    /// The release to use: the version named, else the active one, else the latest installed.
    ///
    /// - Throws: `BundleError` with code `invalidArgument` when the store doesn't hold it, `storeDamaged` when it can't
    ///   be opened.
    func release(in store: BundleStore) throws(BundleError) -> Release {
        let release = try knownRelease(in: store)
        if let error = release.openingError { throw error }
        return release
    }

    /// The same, including one that can't be opened.
    func knownRelease(in store: BundleStore) throws(BundleError) -> Release {
        let bundle = try store.bundle(name)
        let named = version.map { bundle.release($0) ?? bundle.damagedRelease($0) }
        if let release = named ?? bundle.current { return release }
        if version == nil || version?.string == bundle.activeVersion?.string, let error = bundle.damagedRowError {
            throw error
        }
        let label = "\(name)\(version.map { "@\($0)" } ?? "")"
        throw BundleError(.invalidArgument, "\(label) is not installed; installed: \(bundle.installedText)")
    }
}
