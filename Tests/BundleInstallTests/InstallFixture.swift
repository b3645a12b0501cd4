import BundleArchive
import BundleInstall
import BundlePublishing
import BundleStore
import BundleTar
import BundleTesting
import Testing

/// A store, an installer for it, and a folder for archives.
struct InstallFixture {
    let store: BundleStore
    let directory: TemporaryDirectory

    /// Provides a fixture in a temporary folder.
    static func use(_ body: (InstallFixture) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            try await body(InstallFixture(store: store, directory: directory))
        }
    }

    static func manifest(_ version: String = "1.0.0", name: String = "shop", more: String = "") -> String {
        #"{"name": "\#(name)", "version": "\#(version)", "origins": []\#(more)}"#
    }

    static func files(_ version: String = "1.0.0", more: String = "") -> [String: String] {
        [
            "bundle.json": manifest(version, more: more), "index.html": "<p>\(version)", "assets/app.js": "let a = 1",
            "assets/größe/日本語.svg": "<svg/>", "assets/empty.css": "",
        ]
    }

    /// Packs files, sorted by path, and returns the archive's path.
    func pack(_ files: [String: String], _ format: ArchiveFormat = .zip, as name: String = "archive") throws -> String {
        let path = directory.path(of: name)
        let writer = try ArchiveWriter(path: path, format: format)
        for (name, text) in files.sorted(by: { $0.key < $1.key }) {
            try Array(text.utf8).withUnsafeBytes { try writer.add(name: name, contents: $0) }
        }
        try writer.finish()
        return path
    }

    func install(_ bytes: [UInt8], options: InstallOptions = InstallOptions()) throws -> InstallReport {
        try install(archive: directory.write(bytes, to: "archive"), options: options)
    }

    func install(_ files: [String: String], options: InstallOptions = InstallOptions()) throws -> InstallReport {
        try install(archive: pack(files), options: options)
    }

    func install(archive path: String, options: InstallOptions = InstallOptions()) throws -> InstallReport {
        try Installer(store, formats: .zipAndTar).install(archive: path, options: options)
    }

    /// Expects that installing `bytes` is refused with a message that contains `words`, and leaves the store's files
    /// unchanged, byte for byte. Returns the message.
    @discardableResult func expectRefusal(
        _ bytes: [UInt8],
        _ words: String,
        code: BundleError.Code = .invalidArchive,
        options: InstallOptions = InstallOptions(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let before = try storeFiles()
        let error = #expect(throws: BundleError.self, sourceLocation: sourceLocation) {
            try install(bytes, options: options)
        }
        let message = error?.message ?? ""
        #expect(error?.code == code, "\(message)", sourceLocation: sourceLocation)
        #expect(message.contains(words), sourceLocation: sourceLocation)
        #expect(message.hasPrefix(directory.path(of: "archive")), "\(message)", sourceLocation: sourceLocation)
        #expect(!message.unicodeScalars.contains { $0.value < 0x20 }, sourceLocation: sourceLocation)
        #expect(try storeFiles() == before, sourceLocation: sourceLocation)
        return message
    }

    func release(_ version: String = "1.0.0") throws -> Release {
        let (name, version) = (BundleName("shop"), try #require(BundleVersion(version)))
        return try #require(store.snapshot.bundles[name]?.release(version))
    }

    /// Without SQLite's `-shm` file, which is shared memory that every reader writes to, and without lock files, which
    /// are empty and created when they are first needed.
    private func storeFiles() throws -> [String: TreeSnapshot.Entry] {
        try directory.snapshot(of: "store").entries
            .filter { !$0.key.hasSuffix("-shm") && !$0.key.hasPrefix("locks/") }
    }
}

extension Release {
    /// Every file as text, nil for one that can't be read.
    var texts: [String: String?] {
        Dictionary(
            uniqueKeysWithValues: assets.map { asset in
                (asset.path, asset.contents.map { String(decoding: $0.array, as: UTF8.self) })
            }
        )
    }
}
