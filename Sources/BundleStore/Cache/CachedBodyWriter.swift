import Synchronization
import SystemPackage

import struct Crypto.SHA256

/// Takes the body of a response that is to be cached: up to ``memoryByteCount`` bytes are held in memory, the rest of a
/// longer one goes to a file. If it is released before the response is stored, nothing is left of it.
///
/// Thread-safe: it is appended to by one task, while any number of others read what has been appended.
package final class CachedBodyWriter: Sendable {
    /// Bodies up to this length are stored in the catalog and not in files.
    package static let memoryByteCount = 64 << 10

    /// What the appending task alone uses.
    private struct Appending {
        var hasher = SHA256()
        var reservedByteCount: Int64 = 0
    }

    /// What readers see.
    private struct Written {
        var file: CachedBodyFile?
        /// How many bytes are in the file; the tail follows them.
        var fileByteCount = 0
        var tail: [UInt8] = []
        var isDiscarded = false

        var byteCount: Int { fileByteCount + tail.count }
    }

    private let cache: CacheStorage
    private let appending = Mutex(Appending())
    private let written = Mutex(Written())

    init(_ cache: CacheStorage) {
        self.cache = cache
    }

    deinit {
        discard()
    }

    /// Drops what was written. Has no effect once the response is stored.
    package func discard() {
        appending.withLock { release(&$0) }
        written.withLock { $0 = Written(isDiscarded: true) }
    }

    /// The number of bytes appended so far.
    package var byteCount: Int64 { written.withLock { Int64($0.byteCount) } }

    /// Appends bytes. A long body waits for the disk, so don't call it on a thread that others need.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when they can't be written, or the cache has
    ///   no room for all the bodies that are being written, or the client is suspended; `storeBusy` while the store is being pruned.
    package func append(_ bytes: [UInt8]) throws {
        try StoreAccess.run(at: cache.path) {
            try appending.withLock { appending in
                try reserve(byteCount + Int64(bytes.count), &appending)
                appending.hasher.update(data: bytes)
                try write(bytes)
            }
        }
    }

    /// Whether reading a range waits for the disk.
    package func isInFile(_ range: Range<Int>) -> Bool { written.withLock { range.lowerBound < $0.fileByteCount } }

    /// A part of what has been appended. A part that ``isInFile(_:)`` waits for the disk.
    ///
    /// - Parameter range: Within 0 and ``byteCount``.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when it can't be read, the range exceeds what
    ///   was appended, or the body was discarded.
    package func bytes(in range: Range<Int>) throws -> [UInt8] {
        let (file, fileByteCount, tail) = try written.withLock { written in
            guard range.lowerBound >= 0, range.upperBound <= written.byteCount else {
                throw BundleError(.storeUnavailable, "the body that is being stored no longer has the bytes \(range)")
            }
            let start = max(range.lowerBound - written.fileByteCount, 0)
            let end = max(range.upperBound - written.fileByteCount, 0)
            return (written.file, written.fileByteCount, Array(written.tail[start..<end]))
        }
        guard let file, range.lowerBound < fileByteCount else { return tail }
        return try StoreAccess.run(at: cache.path) {
            try file.read(range.lowerBound..<min(range.upperBound, fileByteCount)) + tail
        }
    }

    /// All that has been appended. Call it only when nothing is appended any more.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when it can't be read.
    package func content() throws -> ByteSlice {
        try finish().content
    }

    /// Ends the body, so that it can be stored; a file gets its name in the cache.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when it can't be read or written.
    package func finish() throws -> CachedBody {
        try StoreAccess.run(at: cache.path) {
            try appending.withLock { appending in
                try flush()
                let (file, tail, isDiscarded) = written.withLock { ($0.file, $0.tail, $0.isDiscarded) }
                guard !isDiscarded else { throw Errno.invalidArgument }
                // From now on it counts as cached.
                defer { release(&appending) }
                return CachedBody(
                    content: try file.map { try mapped($0) } ?? ByteSlice(copying: tail),
                    file: file,
                    digest: Digest(appending.hasher.finalize())
                )
            }
        }
    }

    private func mapped(_ file: CachedBodyFile) throws -> ByteSlice {
        try file.publish()
        let mapped = try file.map()
        cache.bodyChecks.record(.intact, of: file.identifier, mapped.stamp)
        cache.mappedBodies.add(mapped)
        return ByteSlice(mapped)
    }

    private func release(_ appending: inout Appending) {
        cache.stagedBodies.release(appending.reservedByteCount)
        appending.reservedByteCount = 0
    }

    /// Written outside the lock of the readers, who don't wait for the disk.
    private func write(_ bytes: [UInt8]) throws {
        let isLong = try written.withLock { written in
            guard !written.isDiscarded else { throw Errno.invalidArgument }
            written.tail += bytes
            return written.tail.count > Self.memoryByteCount
        }
        guard isLong else { return }
        if written.withLock({ $0.file == nil }) {
            let file = try CachedBodyFile(in: cache.layout, locks: cache.bodyLocks, removingOn: cache.writer.queue)
            written.withLock { $0.file = file }
        }
        try flush()
    }

    /// Writes the tail to the file, if there is one.
    private func flush() throws {
        let (file, offset, tail) = written.withLock { ($0.file, $0.fileByteCount, $0.tail) }
        guard let file, !tail.isEmpty else { return }
        try file.write(tail, at: offset)
        written.withLock { written in
            guard !written.isDiscarded else { return }
            written.fileByteCount += tail.count
            written.tail = []
        }
    }

    private func reserve(_ needed: Int64, _ appending: inout Appending) throws {
        let reserved = appending.reservedByteCount
        guard needed > reserved else { return }
        // In growing steps, because each reservation queries the catalog.
        let ample = max(needed, min(2 * reserved, reserved + StagedBodies.maximumStep))
        for wanted in [ample, needed] where try cache.reserve(wanted - reserved, ofBody: wanted) {
            return appending.reservedByteCount = wanted
        }
        throw BundleError(
            .storeUnavailable,
            "the cache of the store in \(cache.path) has no room for what is being fetched; raise its limit or "
                + "the quota, or try later"
        )
    }
}

/// A complete body, or a part of one, that isn't stored yet.
package struct CachedBody: Sendable {
    /// The bytes.
    package let content: ByteSlice
    /// Nil when the body belongs into the catalog.
    let file: CachedBodyFile?
    let digest: Digest
}

/// Counts the bytes of bodies that this process is writing: they need room in the cache although they aren't in it yet.
/// Thread-safe.
final class StagedBodies: Sendable {
    /// The most bytes that are reserved at a time.
    static let maximumStep: Int64 = 4 << 20
    /// Bodies up to this length are counted without querying the catalog.
    static let smallByteCount: Int64 = 64 << 10

    private let byteCount = Mutex<Int64>(0)

    /// Counts more bytes. Returns false, and counts nothing, when the total would exceed `room`.
    func reserve(_ count: Int64, within room: Int64) -> Bool {
        byteCount.withLock { byteCount in
            guard count <= room - min(byteCount, room) else { return false }
            byteCount += count
            return true
        }
    }

    /// The total number of bytes.
    var total: Int64 { byteCount.withLock { $0 } }

    func release(_ count: Int64) {
        byteCount.withLock { $0 -= count }
    }
}
