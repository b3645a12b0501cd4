import Synchronization
import SystemPackage

/// The file of a body that is being written to the cache. It is removed when it is released before it was published.
///
/// Thread-safe, as long as one thread at a time writes.
final class CachedBodyFile: Sendable {
    let identifier = FileIdentifier.random()
    private let layout: StoreLayout
    // Held until the end: without the lock the unfinished file would count as an orphan.
    private let lock: FileLock
    private let descriptor: FileDescriptor
    private let isPublished = Atomic(false)

    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when the store is being pruned: waiting isn't worth
    ///   it, since a response can be served without being cached. `Errno` when the file can't be created.
    init(in layout: StoreLayout) throws {
        self.layout = layout
        lock = try StoreLock.take(layout, bundle: nil, .shared, waits: false)
        descriptor = try FileDescriptor.open(
            layout.temporary(identifier),
            .readWrite,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: [.ownerReadWrite, .groupRead, .otherRead]
        )
    }

    deinit {
        try? descriptor.close()
        if !isPublished.load(ordering: .relaxed) { try? Durable.remove(layout.temporary(identifier)) }
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
        let isPublished = isPublished.load(ordering: .relaxed)
        return try MappedFile(isPublished ? layout.body(identifier) : layout.temporary(identifier))
    }

    /// Gives the file its name in the cache. Nothing may refer to it before ``sync()``.
    func publish() throws {
        try Durable.rename(layout.temporary(identifier), to: layout.body(identifier))
        isPublished.store(true, ordering: .relaxed)
    }

    /// Makes the content and the name durable.
    func sync() throws {
        try Durable.sync(descriptor)
        try Durable.syncFolder(layout.cache)
    }

    /// Removes the file that was published, because nothing refers to it.
    func withdraw() throws {
        try Durable.remove(layout.body(identifier))
    }
}
