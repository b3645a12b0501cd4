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
    // Held until something refers to the file: without the lock it would count as an orphan.
    private let lock: Mutex<FileLock?>
    private let descriptor: FileDescriptor
    private let isPublished = Atomic(false)
    private let isKept = Atomic(false)

    /// - Parameter removals: Where the file is removed if it isn't kept: that may wait for the disk, and any thread may
    ///   release the last reference, such as an event loop's.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when the store is being pruned: waiting isn't worth
    ///   it, since a response can be served without being cached. `Errno` when the file can't be created.
    init(in layout: StoreLayout, removingOn removals: DispatchQueue) throws {
        self.layout = layout
        self.removals = removals
        lock = Mutex(try StoreLock.take(layout, bundle: nil, .shared, waits: false))
        descriptor = try FileOwner.open(
            layout.temporary(identifier),
            .readWrite,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: [.ownerReadWrite, .groupRead, .otherRead]
        )
    }

    deinit {
        try? descriptor.close()
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

    /// The file stays: the catalog refers to it.
    func keep() {
        isKept.store(true, ordering: .relaxed)
        lock.withLock { $0 = nil }
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
