import Dispatch
import Synchronization
import SystemPackage

/// The file of a body that is being written to the cache. It is removed when it is released before it is kept.
///
/// Thread-safe, as long as one thread at a time writes.
final class CachedBodyFile: Sendable {
    let identifier = FileIdentifier.random()
    private let layout: StoreLayout
    private let removals: DispatchQueue
    private let locks: BodyLocks
    private let descriptor: FileDescriptor
    private let isPublished = Atomic(false)
    private let isKept = Atomic(false)

    /// - Parameter removals: Where the file is removed if it isn't kept: that may wait for the disk, and any thread may
    ///   release the last reference, such as an event loop's.
    /// - Throws: As ``BodyLocks/take(for:)``; `Errno` when the file can't be created.
    init(in layout: StoreLayout, locks: BodyLocks, removingOn removals: DispatchQueue) throws {
        self.layout = layout
        self.removals = removals
        self.locks = locks
        try locks.take(for: identifier)
        do {
            descriptor = try FileOwner.open(
                layout.temporary(identifier),
                .readWrite,
                options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead]
            )
        } catch {
            locks.release(identifier)
            throw error
        }
    }

    deinit {
        try? descriptor.close()
        locks.release(identifier)
        guard !isKept.load(ordering: .relaxed) else { return }
        // Unlocked from here on: if the process ends before, or another one prunes, the file is an orphan.
        removals.async { [path] in try? Durable.remove(path) }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        try descriptor.writeAll(toAbsoluteOffset: Int64(offset), bytes)
    }

    /// The bytes of a range that has been written.
    func read(_ range: Range<Int>) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while count < range.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let read = try descriptor.read(
                    fromAbsoluteOffset: Int64(range.lowerBound + count),
                    into: UnsafeMutableRawBufferPointer(rebasing: rest[..<(range.count - count)])
                )
                guard read > 0 else { throw Errno.ioError }
                count += read
            }
        }
    }

    /// What has been written so far, readable for as long as the result is held.
    func map() throws -> MappedFile {
        try MappedFile(path)
    }

    private var path: FilePath {
        isPublished.load(ordering: .relaxed) ? layout.body(identifier) : layout.temporary(identifier)
    }

    /// Gives the file its name in the cache. Before anything refers to it, it has to be synced, and the folder too.
    /// Unless it is kept, it is removed nevertheless.
    func publish() throws {
        guard !isPublished.exchange(true, ordering: .relaxed) else { return }
        try Durable.rename(layout.temporary(identifier), to: layout.body(identifier))
    }

    /// Makes the content durable.
    func sync() throws {
        try Durable.sync(descriptor)
    }

    /// Whether the catalog may refer to it. Without its lock, another process may have removed it.
    var isLocked: Bool { locks.holds(identifier) }

    /// The file stays: the catalog refers to it.
    func keep() {
        isKept.store(true, ordering: .relaxed)
        locks.release(identifier)
    }
}

/// The locks of the files of bodies that are being written. Until something refers to a file, it would count as an orphan without its
/// lock. None is held while the client is suspended. Thread-safe.
final class BodyLocks: Sendable {
    private struct State {
        var held: [FileIdentifier: FileLock] = [:]
        var isSuspended = false
    }

    private let layout: StoreLayout
    private let state = Mutex(State())

    init(_ layout: StoreLayout) {
        self.layout = layout
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when the store is being pruned: waiting isn't worth it, since a response
    ///   can be served without being cached; with code `storeUnavailable` while the client is suspended.
    func take(for file: FileIdentifier) throws {
        // Under the lock: even one that is held for a moment ends a process that the system suspends then.
        try state.withLock { state in
            guard !state.isSuspended else { throw CatalogConnection.suspension(of: layout) }
            state.held[file] = try StoreLock.take(layout, bundle: nil, .shared, waits: false)
        }
    }

    func release(_ file: FileIdentifier) {
        _ = state.withLock { $0.held.removeValue(forKey: file) }
    }

    func holds(_ file: FileIdentifier) -> Bool {
        state.withLock { $0.held[file] != nil }
    }

    /// Has no lock be taken until ``resume()``. Those that are held stay.
    func suspend() {
        state.withLock { $0.isSuspended = true }
    }

    func resume() {
        state.withLock { $0.isSuspended = false }
    }

    /// Releases all locks, unless ``resume()`` was called.
    func releaseSuspended() {
        state.withLock { state in
            if state.isSuspended { state.held = [:] }
        }
    }
}

/// The files of cached bodies that are mapped. Thread-safe.
final class MappedBodies: Sendable {
    private struct Reference {
        weak var file: MappedFile?
    }

    private struct State {
        var files: [Reference] = []
        /// From this number on, those that have been released are dropped.
        var purgeCount = 64
    }

    private let state = Mutex(State())

    func add(_ file: MappedFile) {
        state.withLock { state in
            state.files.append(Reference(file: file))
            guard state.files.count >= state.purgeCount else { return }
            state.files.removeAll { $0.file == nil }
            state.purgeCount = max(64, 2 * state.files.count)
        }
    }

    /// Whether another program has changed or truncated one, or the disk can't read it any more; those that have aren't
    /// looked at again.
    func takeChange() -> Bool {
        let files = state.withLock { $0.files }
        let changed = Set(files.compactMap(\.file).filter(\.hasChanged).map(ObjectIdentifier.init))
        guard !changed.isEmpty else { return false }
        state.withLock { state in
            state.files.removeAll { reference in reference.file.map { changed.contains(ObjectIdentifier($0)) } ?? true }
        }
        return true
    }
}
