import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// The version that the keys of a folder have signed last for a feed. It is kept beside the keys, where nobody can set it back who
/// only writes to the feed's place: devices refuse a version below one that they have seen, and what was revoked must stay so.
///
/// A value type; safe to share between threads.
struct SignedVersion: Sendable {
    private static let maximumByteCount = 16_384

    private let feed: String
    private let path: String

    /// - Parameters:
    ///   - folder: The feed's folder.
    ///   - keys: The folder of the keys.
    init(of folder: FeedFolder, keys: String) {
        self.init(of: folder.name == folder.path ? FileManager.realPath(folder.path) : folder.name, keys: keys)
    }

    /// - Parameters:
    ///   - feed: What names the feed's place for good: the real path of its folder, or a URL.
    ///   - keys: The folder of the keys.
    init(of feed: String, keys: String) {
        self.feed = feed
        path = "\(keys)/feed-\(Digest(of: Array(feed.utf8)).hex.prefix(16)).json"
    }

    /// Keeps a version. A folder of keys that can't be written keeps none, as that of a server's secrets.
    func keep(_ version: Int, root: Int) {
        let document = JSONValue.members([
            ("feed", .string(feed)), ("root", .integer(root)), ("version", .integer(version)),
        ])
        try? StagedFile(for: path).publish(JSONWriter.bytes(of: document, .lines))
    }

    /// Checks that a feed isn't older than it was. Once the online key is another, versions begin again.
    ///
    /// - Parameter version: The feed's; 0 for one that isn't signed.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when it is older; `invalidArgument` when what was kept can't be read.
    func check(_ version: Int, _ roots: RootChain) throws(BundleError) {
        guard let (last, root) = try kept(), version < last, roots.contents.indices.contains(root - 1),
            roots.contents[root - 1].snapshot == roots.latest.snapshot
        else { return }
        throw BundleError(
            .invalidFeed,
            "\(Printable.line(feed)) was set back: version \(last) was signed last, and it has "
                + (version > 0 ? "version \(version)" : "no signature")
                + "; devices would refuse what follows. Restore "
                + "it from a newer backup, or replace the online key, after which versions begin again"
        )
    }

    /// The version of the root whose keys have signed the feed last; nil where that wasn't kept.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when what was kept can't be read.
    func root() throws(BundleError) -> Int? { try kept()?.root }

    private func kept() throws(BundleError) -> (version: Int, root: Int)? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let document = try JSONElement(
            parsing: InputDocument(path, atMost: Self.maximumByteCount).bytes,
            named: Printable.line(path),
            maximumByteCount: Self.maximumByteCount,
            refusedAs: .invalidArgument
        )
        return (try document.required("version").positiveInteger(), try document.required("root").positiveInteger())
    }
}
