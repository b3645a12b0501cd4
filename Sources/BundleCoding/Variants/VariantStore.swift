import BundleStore
import Foundation
import Synchronization
import SystemPackage

/// The coded forms of bundled contents (RFC 9110 §8.4), in a folder of the store: no more bytes than a quota; the least
/// recently used are removed first.
///
/// All forms can be recreated. Thread-safe; several processes may use the folder at once, each with a quota of its own.
package final class VariantStore: Sendable {
    /// The default quota for the files: 256 MB.
    package static let defaultQuota: Int64 = 256_000_000

    /// How many forms are checked per call.
    private static let checkCount = 1_000

    private let folder: VariantFolder
    private let quota: Int64
    private let now: @Sendable () -> Date
    private let table: Mutex<VariantTable>
    private let changes = Atomic<Int64>(0)
    /// The forms that ``removeChanged()`` has yet to check before it starts over.
    private let unchecked = Mutex<[VariantKey]>([])

    /// Lists the files without reading them. Files over the quota are removed.
    ///
    /// - Parameters:
    ///   - store: The store that contains the folder.
    ///   - quota: The maximum total size of the files in bytes, 0 or more.
    package init(_ store: BundleStore, quota: Int64 = VariantStore.defaultQuota) {
        folder = VariantFolder(layout: store.layout)
        self.quota = quota
        now = store.now
        var table = VariantTable()
        // Files that can't be listed aren't used.
        for file in (try? folder.files()) ?? [] { table.set(file.key, .unread, byteCount: file.byteCount) }
        self.table = Mutex(table)
        evictExcess()
    }

    /// Increases when a look-up may return a different result than before. Cheap.
    package var generation: Int64 { changes.load(ordering: .acquiring) }

    /// The forms of a content that can be sent. Reads memory only.
    package func contents(of digest: Digest) -> [VariantKey: ByteSlice] {
        table.withLock { $0.contents(of: digest) }
    }

    /// Whether the state of a form is final: it can be sent, or the coding doesn't help. Reads memory only.
    package func isSettled(_ key: VariantKey) -> Bool {
        switch table.withLock({ $0.state(of: key) }) {
        case .content, .futile: true
        case .unread, nil: false
        }
    }

    /// Reads the file of a form, if there is an intact one, so that it can be sent. Waits for the disk.
    ///
    /// - Returns: Whether the form is settled now; false if it alone exceeds the quota.
    package func load(_ key: VariantKey) -> Bool {
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

    /// Call this before creating a form: while it throws, the form could not be saved.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` while the store is being pruned, `storeUnavailable`
    ///   when that can't be determined.
    package func checkNotBusy() throws {
        try StoreAccess.run(at: folder.layout.root.string) { try folder.checkNotBusy() }
    }

    /// Saves a form. Waits for the disk.
    ///
    /// - Parameters:
    ///   - bytes: The coded bytes; empty when the coding makes the content no smaller, which is remembered.
    ///   - key: Which form of which content it is.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` while the store is being pruned, `storeUnavailable`
    ///   when it can't be written.
    package func save(_ bytes: [UInt8], as key: VariantKey) throws {
        try StoreAccess.run(at: folder.layout.root.string) {
            try bytes.withUnsafeBytes { try folder.write($0, as: key) }
        }
        guard let content = folder.read(key) else { return }
        enter(key, content)
    }

    /// Uses bytes that the store already has, as a file of the bundle, as a form. Waits for the disk if the key had
    /// another form.
    package func adopt(_ content: ByteSlice, as key: VariantKey) {
        let hadFile = table.withLock { table in
            defer { table.set(key, .content(content), byteCount: 0) }
            return table.hasFile(key)
        }
        if hadFile { folder.remove(key) }
        changes.add(1, ordering: .releasing)
    }

    /// Removes the forms of contents and dictionaries that no release of `snapshot` has. Waits for the disk.
    package func removeSuperfluous(in snapshot: StoreSnapshot) {
        // While a release can't be opened, its variants are kept.
        guard snapshot.damage.isEmpty, table.withLock({ !$0.keys.isEmpty }) else { return }
        let contents = snapshot.contentDigests
        let superfluous = table.withLock { table in
            let superfluous = table.keys.filter { !$0.isNeeded(for: contents) }
            for key in superfluous { table.remove(key) }
            return superfluous
        }
        remove(superfluous)
    }

    /// Drops forms whose files were changed by another program. They are recreated on demand. Queries the file system
    /// for up to 1,000 forms, and for others in the next call.
    package func removeChanged() {
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

/// The known variants, and the contents of those that have been read. A value type.
struct VariantTable {
    /// The state of a variant.
    enum State {
        /// There is a file, which hasn't been read yet.
        case unread
        /// The coded bytes.
        case content(ByteSlice)
        /// The coding makes the content no smaller.
        case futile
    }

    private struct Entry {
        var state: State
        /// The length of its file; 0 when it has none.
        var byteCount: Int64
        var lastUse: UInt64
    }

    private var entries: [Digest: [VariantKey: Entry]] = [:]
    private var clock: UInt64 = 0
    /// The total size of the files.
    private(set) var byteCount: Int64 = 0

    /// The forms of a content that can be sent. Counts as a use.
    mutating func contents(of digest: Digest) -> [VariantKey: ByteSlice] {
        guard let forms = entries[digest] else { return [:] }
        clock += 1
        var contents: [VariantKey: ByteSlice] = [:]
        for (key, entry) in forms {
            guard case .content(let content) = entry.state, !content.hasFaulted else { continue }
            contents[key] = content
            entries[digest]?[key]?.lastUse = clock
        }
        return contents
    }

    /// The state of a form; nil when there is no such file and creating it hasn't been tried.
    func state(of key: VariantKey) -> State? { entries[key.content]?[key]?.state }

    /// Whether a form has a file of its own.
    func hasFile(_ key: VariantKey) -> Bool { entries[key.content]?[key].map { $0.byteCount > 0 } ?? false }

    /// Sets the state of a form.
    mutating func set(_ key: VariantKey, _ state: State, byteCount: Int64) {
        remove(key)
        clock += 1
        entries[key.content, default: [:]][key] = Entry(state: state, byteCount: byteCount, lastUse: clock)
        self.byteCount += byteCount
    }

    /// Removes a form.
    mutating func remove(_ key: VariantKey) {
        byteCount -= entries[key.content]?.removeValue(forKey: key)?.byteCount ?? 0
        if entries[key.content]?.isEmpty == true { entries[key.content] = nil }
    }

    /// All known forms.
    var keys: [VariantKey] { entries.values.flatMap(\.keys) }

    /// Removes the least recently used forms until at most `quota` bytes are left, and returns them.
    mutating func removeExcess(over quota: Int64) -> [VariantKey] {
        guard byteCount > quota else { return [] }
        let files = entries.values.joined().filter { $0.value.byteCount > 0 }
        var excess: [VariantKey] = []
        for (key, _) in files.sorted(by: { $0.value.lastUse < $1.value.lastUse }) where byteCount > quota {
            excess.append(key)
            remove(key)
        }
        return excess
    }
}
