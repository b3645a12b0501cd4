import BundleStore

/// Reports what a manifest declares immutable and isn't.
enum ImmutableFiles {
    private static let key = "\(BundleManifest.fileName): immutable"

    /// A line for files that another installed version of the bundle has with other content.
    static func warnings(_ manifest: BundleManifest, in snapshot: StoreSnapshot) -> [String] {
        guard manifest.immutable?.isEmpty == false, let bundle = snapshot.bundles[manifest.name],
            let release = bundle.release(manifest.version)
        else { return [] }
        let declared = release.assets.filter { $0.immutability == .manifest }
        let others = bundle.releases.filter { $0.version.string != release.version.string }
        let changed = declared.filter { asset in
            let digests = (try? BundlePath(asset.path)).map { path in others.compactMap { $0.asset(at: path)?.digest } }
            return digests?.contains { $0 != asset.digest } == true
        }
        guard let first = changed.first else { return [] }
        return [
            "\(key): “\(Printable.text(first.path))” has other content in another installed version"
                + (changed.count > 1 ? ", and \(changed.count - 1) more; browsers keep" : "; browsers keep")
                + " what they have for a year; rename what changes, or leave it out of the list"
        ]
    }
}
