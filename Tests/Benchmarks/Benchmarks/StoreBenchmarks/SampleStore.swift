import BundleServing
import BundleStore
import Foundation

/// A store in a temporary folder, made for one benchmark and removed after it.
struct SampleStore {
    let path: String
    let bundleCount: Int
    let fileCount: Int

    /// - Parameters:
    ///   - bundleCount: The number of bundles, each with an origin and one version.
    ///   - fileCount: The number of files of each bundle.
    ///   - byteCount: The length of each file in bytes.
    init(bundleCount: Int = 1, fileCount: Int, byteCount: Int = 64) throws {
        path = NSTemporaryDirectory() + "store-benchmark-" + UUID().uuidString
        self.bundleCount = bundleCount
        self.fileCount = fileCount
        let store = try BundleStore(at: path, creating: true)
        for bundle in 0..<bundleCount {
            let ingest = try store.beginIngest()
            for file in 0..<fileCount {
                var content = Array("\(bundle)/\(file)".utf8)
                content += repeatElement(UInt8(ascii: "x"), count: max(0, byteCount - content.count))
                try content.withUnsafeBytes { try ingest.append($0) }
                _ = try ingest.endFile(BundlePath(Self.file(file)))
            }
            let commit = try ingest.seal().commit(
                Self.manifest(bundle),
                mediaType: { _, _ in "text/html; charset=utf-8" },
                marking: .none,
                activating: true,
                replacing: false,
                waits: false
            )
            precondition(commit.outcome == .installed)
        }
    }

    func open() throws -> BundleStore { try BundleStore(at: path) }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// The URLs of `count` files, taken from all of them by chance, the same ones each time.
    func urls(_ count: Int) -> [String] {
        var random = SplitMix64(state: 1)
        return files(count).map {
            "https://m.example.com/bundle-\(Int.random(in: 0..<bundleCount, using: &random))/\($0)"
        }
    }

    /// The paths of `count` files of a bundle, likewise.
    func files(_ count: Int) -> [String] {
        var random = SplitMix64(state: 2)
        return (0..<count).map { _ in Self.file(.random(in: 0..<fileCount, using: &random)) }
    }

    private static func file(_ number: Int) -> String { "guide/chapter-\(number / 100)/page-\(number).html" }

    private static func manifest(_ bundle: Int) throws -> BundleManifest {
        let json = """
            {"name": "bundle-\(bundle)", "version": "1.0.0",
             "origins": [{"url": "https://m.example.com/bundle-\(bundle)/", "path": "/"}]}
            """
        return try BundleManifest.parse(Array(json.utf8)).manifest
    }
}

/// Steele, Lea, Flood: “Fast splittable pseudorandom number generators”, 2014.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
