import BundleTesting
import Testing

@testable import BundleStore

/// How a bundle with a damaged segment gets an intact release again.
enum InstallWay: CaseIterable {
    case nextVersion, reinstallation, replacement

    /// - Returns: The version that is active afterwards.
    func apply(to store: BundleStore) throws -> (version: String, files: [String: String]) {
        let (old, new) = DamagedSegmentTests.files
        switch self {
        case .nextVersion: try store.install("1.2.0", new)
        case .reinstallation: try store.install("1.1.0", old)
        case .replacement: try store.install("1.1.0", old, replacing: true)
        }
        return self == .nextVersion ? ("1.2.0", new) : ("1.1.0", old)
    }
}

@Suite("A segment that readers refuse")
struct DamagedSegmentTests {
    static let files = (
        old: ["index.html": "page", "shared.js": "shared", "empty": "", "last.css": "end"],
        new: ["index.html": "other", "shared.js": "shared", "empty": "", "last.css": "end"]
    )

    /// Provides a closed store with two versions; the segment of the active one has all of its files and one of the
    /// other's.
    private func withDamagedStore(
        _ defect: HeaderDefect,
        _ body: (_ openedBefore: BundleStore, TemporaryDirectory) async throws -> Void
    ) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["index.html": "first"])
            try store.install("1.1.0", Self.files.old)
            let openedBefore = try directory.openStore()
            try directory.change(directory.storeFile(in: "segments", holding: "shared"), defect.apply)
            try await body(openedBefore, directory)
        }
    }

    @Test("isn't reused for the contents of the next version, nor for those of a reinstalled one")
    func remedies() async throws {
        for defect in HeaderDefect.allCases where defect != .newerVersion {
            for way in InstallWay.allCases {
                for isOpenedBefore in [false, true] {
                    try await withDamagedStore(defect) { openedBefore, directory in
                        let store = isOpenedBefore ? openedBefore : try directory.openStore()
                        let (version, files) = try way.apply(to: store)
                        let reader = try directory.openStore()
                        let texts = try reader.release(version).texts
                        let damage = try reader.verify().filter { $0.version?.string == version }
                        let active = try reader.activeVersion()
                        #expect(active == version, "\(defect) \(way)")
                        #expect(texts == files.mapValues { $0 }, "\(defect) \(way)")
                        #expect(damage == [], "\(defect) \(way)")
                    }
                }
            }
        }
    }

    @Test("of a newer format is left to a newer program: the next version shares nothing with it")
    func nextVersion() async throws {
        try await withDamagedStore(.newerVersion) { _, directory in
            let (version, files) = try InstallWay.nextVersion.apply(to: directory.openStore())
            let reader = try directory.openStore()
            #expect(try reader.release(version).texts == files.mapValues { $0 })
            #expect(try reader.verify().allSatisfy { $0.version?.string == "1.1.0" && $0.isNewer })
        }
    }

    @Test(
        "of a newer format isn't replaced by installing its release again",
        arguments: [InstallWay.reinstallation, .replacement]
    )
    func reinstallation(_ way: InstallWay) async throws {
        try await withDamagedStore(.newerVersion) { _, directory in
            let before = try directory.storeFiles()
            let error = #expect(throws: BundleError.self) { _ = try way.apply(to: directory.openStore()) }
            #expect(error?.code == .newerFormat)
            #expect(error?.message.hasSuffix("has format version 2, this program reads 1; update this program") == true)
            #expect(try directory.storeFiles() == before)
        }
    }
}
