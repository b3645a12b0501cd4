import Foundation
import Synchronization
import SystemPackage

/// The coded forms of bundled contents (RFC 9110 §8.4) that have been made, in a folder of the store: no more bytes than a
/// quota, the ones used the longest ago go first.
///
/// Nothing here is precious, for it can be made again. Thread-safe; several processes may use the folder at once, each with
/// a quota of its own.
public final class VariantStore: Sendable {
    /// How many bytes the files may have together, unless set otherwise: 256 MB.
    public static let defaultQuota: Int64 = 256_000_000

    /// How many forms are checked at a time.
    private static let checkCount = 1_000

    private let folder: VariantFolder
    private let quota: Int64
    private let now: @Sendable () -> Date
    private let table: Mutex<VariantTable>
    private let changes = Atomic<Int64>(0)
    /// The forms that ``removeChanged()`` has yet to check before it begins again.
    private let unchecked = Mutex<[VariantKey]>([])

    /// Looks which files there are, and reads none. Those over the quota are removed.
    ///
    /// - Parameters:
    ///   - store: The store in whose folder they are.
    ///   - quota: How many bytes the files may have together, 0 or more.
    public init(_ store: BundleStore, quota: Int64 = VariantStore.defaultQuota) {
        folder = VariantFolder(layout: store.layout)
        self.quota = quota
        now = store.now
        var table = VariantTable()
        // What can't be listed isn't used.
        for file in (try? folder.files()) ?? [] { table.set(file.key, .unread, byteCount: file.byteCount) }
        self.table = Mutex(table)
        evictExcess()
    }

    /// Rises when a look-up may give something else than before. Cheap.
    public var generation: Int64 { changes.load(ordering: .acquiring) }

    /// The forms of a content that can be sent. Looks into memory only.
    public func contents(of digest: Digest) -> [VariantKey: ByteSlice] {
        table.withLock { $0.contents(of: digest) }
    }

    /// Whether nothing is to be found out any more about a form: it can be sent, or the coding doesn't help. Looks into
    /// memory only.
    public func isSettled(_ key: VariantKey) -> Bool {
        switch table.withLock({ $0.state(of: key) }) {
        case .content, .futile: true
        case .unread, nil: false
        }
    }

    /// Reads the file of a form, if there is one that is whole, so that it can be sent. Waits for the disk.
    ///
    /// - Returns: Whether the form is settled now; not if it alone is over the quota.
    public func load(_ key: VariantKey) -> Bool {
        if isSettled(key) { return true }
        // Before it is mapped: a file whose times have changed since then counts as changed by another program.
        folder.touch(key, at: now())
        guard let content = folder.read(key) else {
            table.withLock { $0.remove(key) }
            return false
        }
        enter(key, content)
        return isSettled(key)
    }

    /// To be asked before a form is made: it could not be kept.
    ///
    /// - Throws: ``BundleError`` with code `storeBusy` while the store is pruned, `storeUnavailable` when that can't be found
    ///   out.
    public func checkNotBusy() throws {
        try BundleStore.accessing(folder.layout.root.string) { try folder.checkNotBusy() }
    }

    /// Keeps a form. Waits for the disk.
    ///
    /// - Parameter bytes: The coded bytes; none when the coding makes the content no smaller, which is remembered.
    /// - Throws: ``BundleError`` with code `storeBusy` while the store is pruned, `storeUnavailable` when it can't be written.
    public func save(_ bytes: [UInt8], as key: VariantKey) throws {
        try BundleStore.accessing(folder.layout.root.string) {
            try bytes.withUnsafeBytes { try folder.write($0, as: key) }
        }
        guard let content = folder.read(key) else { return }
        enter(key, content)
    }

    /// Takes bytes that the store has anyway, as a file of the bundle, for a form. Waits for the disk if there was another
    /// one of that key.
    public func adopt(_ content: ByteSlice, as key: VariantKey) {
        let hadFile = table.withLock { table in
            defer { table.set(key, .content(content), byteCount: 0) }
            return table.hasFile(key)
        }
        if hadFile { folder.remove(key) }
        changes.add(1, ordering: .releasing)
    }

    /// Removes what belongs to contents, or dictionaries, that no release of `snapshot` has. Waits for the disk.
    public func removeSuperfluous(in snapshot: StoreSnapshot) {
        // While a release can't be opened, its variants wait for it.
        guard snapshot.damage.isEmpty, table.withLock({ !$0.keys.isEmpty }) else { return }
        let contents = snapshot.contentDigests
        let superfluous = table.withLock { table in
            let superfluous = table.keys.filter { !$0.isNeeded(for: contents) }
            for key in superfluous { table.remove(key) }
            return superfluous
        }
        remove(superfluous)
    }

    /// Forgets forms whose files were changed by another program. They are made again on demand. Asks the file system about
    /// up to 1,000 forms, and about others in the next call.
    public func removeChanged() {
        let keys = unchecked.withLock { rest in
            if rest.isEmpty { rest = table.withLock(\.keys) }
            defer { rest.removeLast(min(Self.checkCount, rest.count)) }
            return Array(rest.suffix(Self.checkCount))
        }
        let changed = keys.filter { key in
            guard case .content(let content) = table.withLock({ $0.state(of: key) }) else { return false }
            return content.hasChanged
        }
        table.withLock { table in for key in changed { table.remove(key) } }
        remove(changed)
    }

    private func enter(_ key: VariantKey, _ content: ByteSlice) {
        let byteCount = Int64(VariantFormat.headerByteCount + content.count)
        let state = content.count > 0 ? VariantTable.State.content(content) : .futile
        table.withLock { $0.set(key, state, byteCount: byteCount) }
        changes.add(1, ordering: .releasing)
        evictExcess()
    }

    private func evictExcess() {
        remove(table.withLock { $0.removeExcess(over: quota) })
    }

    private func remove(_ keys: [VariantKey]) {
        guard !keys.isEmpty else { return }
        for key in keys { folder.remove(key) }
        changes.add(1, ordering: .releasing)
    }
}

extension VariantKey {
    /// Whether it can be of use to who has these contents.
    func isNeeded(for contents: Set<Digest>) -> Bool {
        contents.contains(content) && dictionary.map(contents.contains) ?? true
    }
}

extension StoreSnapshot {
    /// The digests of all files of all releases.
    var contentDigests: Set<Digest> {
        releases.reduce(into: []) { digests, release in
            for asset in release.assets { digests.insert(asset.digest) }
        }
    }
}
