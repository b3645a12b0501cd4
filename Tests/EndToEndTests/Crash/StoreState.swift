import BundleStore
import Foundation

/// The visible state of a store: its releases with their states, contents, rules and pins, held versions, the cache,
/// the quota. Equal when two stores can't be distinguished, whatever the names of their files.
struct StoreState: Hashable {
    /// One line per item.
    let lines: [String]

    /// Opens the store as the next command would, and verifies it.
    ///
    /// - Throws: ``Damage`` when `verify` finds something, and what the store throws when it can't be opened.
    init(ofStoreIn path: String) throws {
        let store = try BundleStore(at: path, creating: true)
        let damage = try store.verify()
        guard damage.isEmpty else { throw Damage(lines: damage.map(\.description)) }
        let bundles = try store.snapshot.sortedBundles.flatMap { try Self.lines(of: $0, in: store) }
        let quota = try store.storageUse().quota.map { ["quota \($0)"] } ?? []
        lines = try bundles + quota + Self.cacheLines(of: store)
    }

    struct Damage: Error, CustomStringConvertible {
        let lines: [String]
        var description: String { "verify finds " + lines.joined(separator: "; ") }
    }

    /// The lines that only one of the two has.
    func differences(from other: StoreState) -> [String] {
        lines.filter { !other.lines.contains($0) }.map { "+ \($0)" }
            + other.lines.filter { !lines.contains($0) }.map { "- \($0)" }
    }

    private static func lines(of bundle: InstalledBundle, in store: BundleStore) throws -> [String] {
        let state = try store.updateState(of: bundle.name)
        let releases = bundle.releases.map { release in
            let pin = release.isPinned ? " pinned" : ""
            return "\(bundle.name)@\(release.version) \(release.state)\(pin) \(release.contentDigest)"
        }
        let files = bundle.releases.flatMap { release in
            release.assets.map { "\(release.version) \($0.path) \($0.digest) \($0.mediaType)" }
        }
        let hold = state?.isOnHold == true ? " on hold" : ""
        return ["\(bundle.name)\(hold) held \(state?.heldVersion?.string ?? "nothing")"] + releases + files
    }

    private static func cacheLines(of store: BundleStore) throws -> [String] {
        try store.cachedResponses().map { response in
            let body = store.body(of: response)?.withUnsafeBytes { Digest(of: $0) }
            return
                "\(response.url) \(response.bundle)@\(response.version) \(body.map { "\($0)" } ?? "without its body")"
        }
    }
}
