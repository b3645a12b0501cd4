import BundleInstall
import BundleNetwork
import BundlePublishing
import BundleStore
import Foundation

/// A folder that is served as an unpacked bundle: its files are installed into a temporary store, and again after each change.
/// What hasn't changed costs little, since the store has it already.
struct LiveFolder: Sendable {
    /// How often the folder is looked at; a large one less often, so that looking takes a tenth of the time.
    private static let interval: Duration = .milliseconds(300)

    /// What was installed of the folder.
    struct Served: Sendable {
        let report: InstallReport
        fileprivate let entry: BundlePath
        /// Whether there was a file at ``entry``.
        fileprivate let hasEntry: Bool
        /// Whether there was no manifest, and one was drafted.
        fileprivate let isDrafted: Bool
    }

    let folder: String
    /// The manifest that counts in place of the folder's own; nil for that one.
    let manifest: String?
    /// Whether open pages reload after a change.
    let reloads: Bool
    /// Whether what is installed has to be signed, which no folder is.
    let requiresTrust: Bool

    /// Installs the folder's files as they are now.
    ///
    /// A build empties the folder and fills it again, which takes seconds: what was served before stays when the page of the
    /// root or the manifest is gone. It also stays when the bundle would get another name, since its pages would lose their
    /// address and their storage.
    ///
    /// - Parameter served: What was installed before; nil at first.
    /// - Throws: As `Installer.install(folder:options:packing:progress:)`.
    func install(into store: BundleStore, after served: Served? = nil) throws -> Served {
        let given = try givenManifest()
        let manifest = try given?.manifest ?? draft(named: served?.report.name)
        let hasEntry = FileManager.default.fileExists(atPath: "\(folder)/\(manifest.entry)")
        if let served {
            try check(manifest, isDrafted: given == nil, after: served)
        }
        var packing = PackOptions()
        (packing.manifest, packing.manifestFile) = (manifest, given?.file)
        // A build may write another manifest meanwhile.
        if served != nil { packing.name = manifest.name }
        if reloads {
            let version = Self.version(after: manifest.version, at: Date())
            packing.version = version
            packing.addition = try ReloadScript(name: manifest.name, version: version).addition
        }
        var options = InstallOptions()
        options.replaces = true
        options.waits = true
        options.requiresTrust = requiresTrust
        let report = try Installer(store).install(folder: folder, options: options, packing: packing)
        // What is superfluous may as well stay until the next time.
        _ = try? store.pruneUnlessBusy(keeping: 1, of: [report.name])
        return Served(report: report, entry: manifest.entry, hasEntry: hasEntry, isDrafted: given == nil)
    }

    /// Installs the files again after each change, once they stay as they are, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - first: What was installed.
    ///   - fingerprint: What it was made of; see ``fingerprint()``.
    ///   - tell: Called with each version that was installed, or with why none was.
    func watch(
        _ store: BundleStore,
        from first: Served,
        _ fingerprint: Int?,
        _ tell: (Result<InstallReport, any Error>) -> Void
    ) async {
        let clock = ContinuousClock()
        var served = first
        var (installed, latest, pause) = (fingerprint, fingerprint, Self.interval)
        while (try? await Task.sleep(for: pause)) != nil {
            var now: Int?
            let duration = clock.measure { now = self.fingerprint() }
            pause = max(Self.interval, duration * 10)
            // A build writes many files: it is over when nothing has changed since the last look.
            defer { latest = now }
            guard now != installed, now == latest else { continue }
            installed = now
            tell(
                Result {
                    served = try install(into: store, after: served)
                    return served.report
                }
            )
        }
    }

    /// Differs after a change of a file's name, length or time, that of the manifest included; nil when the folder can't be
    /// read.
    func fingerprint() -> Int? {
        guard let files = try? Packer().fingerprint(of: folder) else { return nil }
        guard let manifest else { return files }
        var hasher = Hasher()
        hasher.combine(files)
        // Its content, since a file system's times may be coarse, and it is short.
        hasher.combine(try? InputDocument(manifest, atMost: BundleManifest.maximumByteCount).bytes)
        return hasher.finalize()
    }

    /// Throws when what was served before is to stay.
    private func check(
        _ manifest: BundleManifest,
        isDrafted: Bool,
        after served: Served
    ) throws(BundleError) {
        let place = Printable.line(self.manifest ?? "\(folder)/\(BundleManifest.fileName)")
        let name = served.report.name
        guard served.isDrafted || !isDrafted else {
            throw BundleError(
                .invalidManifest,
                "\(place) is gone; a build that empties the folder doesn't remove a manifest elsewhere, which --manifest names"
            )
        }
        guard manifest.name == name else {
            throw BundleError(
                .invalidManifest,
                "\(place) names the bundle \(manifest.name), and \(name) is served; to serve it by that name, start serve again"
            )
        }
        // Without a manifest the only page that a build has written so far would be the root's.
        let entry = "\(folder)/\(isDrafted ? served.entry : manifest.entry)"
        guard !served.hasEntry || FileManager.default.fileExists(atPath: entry) else {
            throw BundleError(
                .invalidManifest,
                "\(Printable.line(entry)) is gone; the files are served again when it is back"
            )
        }
    }

    /// The manifest in a file of its own or in the folder; nil without one.
    private func givenManifest() throws -> (file: ManifestFile, manifest: BundleManifest)? {
        let path = manifest ?? "\(folder)/\(BundleManifest.fileName)"
        guard manifest != nil || FileManager.default.fileExists(atPath: path) else { return nil }
        let file = try ManifestFile(path)
        return (file, try file.parse().manifest)
    }

    /// A manifest made for the folder.
    ///
    /// - Parameter served: The name by which it is served; nil at first.
    private func draft(named served: BundleName?) throws -> BundleManifest {
        let build = try BuildFolder(folder)
        let fallback = build.isSinglePageApp ? build.entry : nil
        let names = [served, build.name, BundleName("bundle")].compactMap(\.self)
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

/// The script by which open pages reload when a folder that is watched has changed.
///
/// It is a file of the bundle, which a page's Content-Security-Policy of `'self'` permits; a policy with nonces or hashes alone
/// doesn't, and such pages don't reload.
struct ReloadScript {
    private static let path = "__bundlectl/reload.js"

    let name: BundleName
    let version: BundleVersion?

    /// The script, and what the end of each page gets.
    var addition: PackAddition {
        get throws {
            PackAddition(
                path: try BundlePath(Self.path),
                content: Array(text.utf8),
                pageEnd: Array("\n<script src=\"/\(Self.path)\" async></script>\n".utf8)
            )
        }
    }

    /// The names and versions of bundles have no character that a string of JavaScript would have to escape.
    private var text: String {
        """
        new EventSource("/.bundles/\(name)/events").onmessage = ({ data }) => {
          const { active } = JSON.parse(data);
          if (active && active !== "\(version?.string ?? "")") location.reload();
        };

        """
    }
}

/// A path in the system's temporary folder, whose files are removed with this object; what a killed process left under the same
/// name is removed when the next one begins.
final class TemporaryFolder {
    private let staged: StagedFile

    /// - Throws: `BundleError` with code `outputUnavailable` when the temporary folder can't be written.
    init(named name: String) throws(BundleError) {
        staged = try StagedFile(for: FileManager.default.temporaryDirectory.appending(path: name).path)
    }

    /// An unused path.
    var path: String { staged.path }
}
