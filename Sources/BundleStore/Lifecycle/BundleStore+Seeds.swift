/// Releases that were shipped with an app: the last resort, which only a person removes.
extension BundleStore {
    /// Makes an installed release the one that was shipped with the app. An earlier one is no longer.
    ///
    /// - Parameter waits: Whether to wait for another process that works on the bundle.
    /// - Throws: As ``activate(_:_:permittingOverlapWith:waits:)``.
    package func setSeed(_ name: BundleName, _ version: BundleVersion, waits: Bool = false) throws {
        guard snapshot.bundles[name]?.lifecycle.seeds != [version.string] else { return }
        try changing(name, waits: waits) { bundle in
            _ = try bundle.existing(version)
            try catalog.setSeed(version, of: name)
        }
    }
}

extension BundleStore {
    /// Whether a release that is shipped with an app becomes active when it is installed: not in place of a higher version,
    /// nor if it was left for another one.
    package func mayActivate(seed manifest: BundleManifest) throws -> Bool {
        try refresh()
        guard let bundle = snapshot.bundles[manifest.name], let active = bundle.activeVersion else { return true }
        let held = try updateState(of: manifest.name)?.heldVersion
        return manifest.version > ([active, held].compactMap(\.self).max() ?? active)
    }
}

extension InstalledBundle {
    /// Whether a version was shipped with an app.
    package func isSeed(_ version: BundleVersion) -> Bool { lifecycle.seeds.contains(version.string) }
}
