import BundleInstall
import BundleNetwork
import BundleStore
import Foundation

/// A folder that is served as an unpacked bundle: its files are installed into a temporary store, and again after each change.
/// What hasn't changed costs little, since the store has it already.
struct LiveFolder: Sendable {
    /// How often the folder is looked at; a large one less often, so that looking takes a tenth of the time.
    private static let interval: Duration = .milliseconds(300)

    let folder: String
    /// Whether open pages reload after a change.
    let reloads: Bool

    /// Installs the folder's files as they are now. A bundle whose name the folder no longer has is dropped.
    ///
    /// - Throws: As `Installer.install(folder:options:packing:progress:)`.
    func install(into store: BundleStore) throws -> InstallReport {
        let manifest = try manifest()
        var packing = PackOptions()
        packing.manifest = manifest
        if reloads {
            let version = Self.version(after: manifest.version, at: Date())
            packing.version = version
            packing.addition = try ReloadScript(name: manifest.name, version: version).addition
        }
        var options = InstallOptions()
        options.replaces = true
        options.waits = true
        let formerNames = store.snapshot.bundles.keys.filter { $0 != manifest.name }
        options.permittedOverlaps = Set(formerNames)
        var report = try Installer(store).install(folder: folder, options: options, packing: packing)
        if !formerNames.isEmpty {
            for name in formerNames { try store.remove(name, nil, waits: true) }
            // The first report compares the folder with what was just dropped.
            report = try Installer(store).install(folder: folder, options: options, packing: packing)
        }
        // What is superfluous may as well stay until the next time.
        _ = try? store.pruneUnlessBusy(keeping: 1, of: [report.name])
        return report
    }

    /// Installs the files again after each change, once they stay as they are, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - fingerprint: What was installed; see ``fingerprint()``.
    ///   - tell: Called with each version that was installed, or with why none was.
    func watch(
        _ store: BundleStore,
        from fingerprint: Int?,
        _ tell: (Result<InstallReport, any Error>) -> Void
    ) async {
        let clock = ContinuousClock()
        var (installed, latest, pause) = (fingerprint, fingerprint, Self.interval)
        while (try? await Task.sleep(for: pause)) != nil {
            var now: Int?
            let duration = clock.measure { now = self.fingerprint() }
            pause = max(Self.interval, duration * 10)
            // A build writes many files: it is over when nothing has changed since the last look.
            defer { latest = now }
            guard now != installed, now == latest else { continue }
            installed = now
            tell(Result { try install(into: store) })
        }
    }

    /// Differs after a change of a file's name, length or time; nil when the folder can't be read.
    func fingerprint() -> Int? { try? Packer().fingerprint(of: folder) }

    /// The folder's manifest, or one made for it.
    private func manifest() throws -> BundleManifest {
        let path = "\(folder)/\(BundleManifest.fileName)"
        if let bytes = FileManager.default.contents(atPath: path) {
            do {
                return try BundleManifest.parse(Array(bytes)).manifest
            } catch {
                throw error.located(at: Printable.line(folder))
            }
        }
        let build = try BuildFolder(folder)
        let fallback = build.isSinglePageApp ? build.entry : nil
        let names = [build.name, BundleName("bundle")].compactMap(\.self)
        let versions = [build.version, ManifestDraft.defaultVersion].compactMap(\.self)
        let draft = ManifestDraft(
            name: names[0],
            version: versions[0],
            entry: build.entry,
            fallback: fallback,
            routes: fallback == nil ? [] : ["/**"]
        )
        return try BundleManifest.parse(draft.encoded()).manifest
    }

    /// A version of its own for each change, by the time: `1.0.0-dev.1795478300123`.
    static func version(after version: BundleVersion, at time: Date) -> BundleVersion? {
        let number = Int64(time.timeIntervalSince1970 * 1_000)
        let base = version.string.prefix { $0 != "+" }
        let forms = version.isPreRelease ? ["\(base).dev.\(number)"] : ["\(base)-dev.\(number)", "\(base).\(number)"]
        return forms.lazy.compactMap { BundleVersion($0) }.first ?? BundleVersion("0.0.0-dev.\(number)")
    }
}
