import BundleTesting
import Testing

@testable import BundleStore

/// Provides a new store in the folder `store` of a temporary folder.
func withStore(
    clock: TestClock = TestClock(),
    _ body: (BundleStore, TemporaryDirectory) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        try await body(try directory.openStore(clock: clock), directory)
    }
}

func name(_ string: String) throws -> BundleName { try #require(BundleName(string)) }

func version(_ string: String) throws -> BundleVersion { try #require(BundleVersion(string)) }

func manifest(_ text: String, of bundle: String = "shop", offlinePage: String? = nil) throws -> BundleManifest {
    try BundleManifest(
        name: name(bundle),
        version: version(text),
        origins: [],
        offlinePage: offlinePage.map { try BundlePath($0) }
    )
}

extension TemporaryDirectory {
    /// Opens the store in the folder `store` again, as another process would.
    ///
    /// - Parameter wall: Gives the date, if that isn't the clock's.
    func openStore(
        clock: TestClock = TestClock(),
        wall: TestClock? = nil,
        cacheLimits: CacheLimits = CacheLimits()
    ) throws -> BundleStore {
        try BundleStore(
            at: path(of: "store"),
            creating: true,
            cacheLimits: cacheLimits,
            now: (wall ?? clock).read,
            clock: clock
        )
    }

    /// The files in the store's folder, byte for byte. Without SQLite's `-shm` file, which is shared memory that every
    /// reader writes to and has no data beyond the database and its log, and without lock files, which are empty and
    /// created when they are first needed.
    func storeFiles() throws -> [String: TreeSnapshot.Entry] {
        try snapshot(of: "store").entries.filter { !$0.key.hasSuffix("-shm") && !$0.key.hasPrefix("locks/") }
    }

    /// The names of the files in a folder of the store.
    func names(in folder: String) throws -> [String] {
        try snapshot(of: "store/" + folder).entries.keys.sorted()
    }
}

extension BundleStore {
    static let sampleFiles = ["index.html": "<p>Hello", "assets/app.js": "let a = 1", "assets/empty.css": ""]

    /// Installs a version of `files` as an installer does.
    @discardableResult
    func install(
        _ version: String,
        _ files: [String: String] = sampleFiles,
        of name: String = "shop",
        activating: Bool = true,
        replacing: Bool = false,
        waits: Bool = false
    ) throws -> InstallOutcome {
        try installing(version, files, of: name, activating: activating, replacing: replacing, waits: waits).outcome
    }

    /// Installs `old` as `shop` 1.0.0, `new` as its active version 1.1.0, and another bundle, `news`.
    func install(_ old: [String: String], then new: [String: String]) throws {
        try install("1.0.0", old)
        try install("1.1.0", new)
        try install("1.0.0", ["other.html": "other"], of: "news")
    }

    /// As ``install(_:_:of:activating:replacing:waits:)``, and returns what was removed because the quota had no room
    /// for it.
    func installing(
        _ version: String,
        _ files: [String: String],
        of name: String = "shop",
        activating: Bool = true,
        replacing: Bool = false,
        waits: Bool = false,
        givingUpPrevious givesUpPrevious: Bool = false
    ) throws -> (outcome: InstallOutcome, quotaRemoval: QuotaRemoval) {
        try ingest(files).seal().commit(
            manifest(version, of: name),
            mediaType: { path, _ in path.fileExtension == "js" ? "text/javascript" : "text/html" },
            marking: NameMarking { _, _, _ in { path, _ in Fingerprint.mark(path) } },
            activating: activating,
            replacing: replacing,
            waits: waits,
            givingUpPrevious: givesUpPrevious
        )
    }

    /// Installs and activates `files` with a manifest.
    func commit(_ files: [String: String], _ manifest: BundleManifest) throws -> InstallOutcome {
        try ingest(files).seal().commit(
            manifest,
            mediaType: { _, _ in "text/html" },
            marking: .none,
            activating: true,
            replacing: false,
            waits: false
        ).outcome
    }

    /// Begins to ingest `files`, sorted by path.
    func ingest(_ files: [String: String]) throws -> ReleaseIngest {
        let ingest = try beginIngest()
        for (path, content) in files.sorted(by: { $0.key < $1.key }) {
            try ingest.add(path, Array(content.utf8))
        }
        return ingest
    }

    /// The versions of a bundle: the active one, the retained ones, then those that were never activated.
    func versions(of name: String = "shop") throws -> [String] {
        try bundle(name)?.releases.map(\.version.string) ?? []
    }

    func release(_ text: String, of name: String = "shop") throws -> Release {
        let version = try version(text)
        return try #require(try bundle(name)?.release(version))
    }

    func activeVersion(of name: String = "shop") throws -> String? {
        try bundle(name)?.active?.version.string
    }

    private func bundle(_ text: String) throws -> InstalledBundle? {
        snapshot.bundles[try name(text)]
    }
}

extension ReleaseIngest {
    func add(_ path: String, _ content: [UInt8]) throws {
        try content.withUnsafeBytes { try append($0) }
        try endFile(BundlePath(path))
    }

    /// The error that sealing ends with; nil when it succeeds.
    consuming func sealingFailure(checkpoint: () throws -> Void = {}) -> (any Error)? {
        do {
            _ = try seal(checkpoint: checkpoint)
            return nil
        } catch {
            return error
        }
    }
}

extension Release {
    /// Every file as text, nil for one that can't be read.
    var texts: [String: String?] {
        Dictionary(
            uniqueKeysWithValues: assets.map {
                ($0.path, $0.contents.map { String(decoding: $0.array, as: UTF8.self) })
            }
        )
    }
}
