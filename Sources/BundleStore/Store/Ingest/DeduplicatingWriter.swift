import SystemPackage

import struct Crypto.SHA256

/// Writes contents to a new segment, except those that the segment or the store already has. Contents of the store are
/// read and compared before they are relied on: damage must not spread to new versions.
///
/// Not thread-safe.
final class DeduplicatingWriter {
    /// How many contents of the store are looked up in memory. Further ones are looked up in the indexes, which takes
    /// longer and makes parts of them resident.
    private static let maximumTabledCount = 1 << 20

    private let segment: SegmentWriter
    private let reader: ContentReader
    private let path: FilePath
    private var table: ContentTable
    private var untabled: [Release] = []
    private var hasher = SHA256()

    /// - Parameter known: The releases in the store; the first ones are looked up fastest.
    /// - Throws: `Errno` when the temporary files can't be made or read.
    init(in layout: StoreLayout, known: [Release], maximumTabledCount: Int = maximumTabledCount) throws {
        segment = try SegmentWriter(in: layout)
        reader = ContentReader(layout)
        path = layout.temporary(.random())
        table = ContentTable(spillingTo: path)
        let readable = Dictionary(
            known.flatMap(\.openSegments).map { ($0.identifier, $0.byteCount) },
            uniquingKeysWith: { first, _ in first }
        )
        for release in known {
            guard table.count + release.fileCount <= maximumTabledCount else {
                untabled.append(release)
                continue
            }
            do {
                try release.index.forEachContent { digest, location in
                    // A new version must not refer to contents in a segment that readers refuse.
                    guard let byteCount = readable[location.segment], location.range(within: byteCount) != nil else {
                        return
                    }
                    try enter(digest, at: location, isVerified: false, replacing: false)
                }
            } catch {
                // An index that can't be read shares nothing; any other problem is reported when it is written to.
                continue
            }
        }
    }

    /// The number of content bytes that the store didn't have before.
    var newByteCount: UInt64 { segment.contentByteCount }
    /// The segment being written.
    var segmentIdentifier: FileIdentifier { segment.identifier }

    /// Appends bytes to the current content.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        hasher.update(bufferPointer: bytes)
        try segment.append(bytes)
    }

    /// Ends the current content and returns its digest and location; the next ``append(_:)`` starts another.
    func endContent() throws -> (digest: Digest, location: ContentLocation) {
        let digest = Digest(hasher.finalize())
        hasher = SHA256()
        if let known = try location(ofStored: digest) {
            try segment.dropContent()
            return (digest, known)
        }
        return (digest, try endNewContent(digest))
    }

    /// Adds a complete content and returns its location. There must be no current one.
    ///
    /// - Parameter digest: The digest of `content`; it isn't computed again.
    func add(_ content: UnsafeRawBufferPointer, _ digest: Digest) throws -> ContentLocation {
        if let known = try location(of: digest, isThere: { reader.holds(content, at: $0) }) { return known }
        try segment.append(content)
        return try endNewContent(digest)
    }

    /// Where a content is that was written here or that the store has, after it was hashed; nil when there is none.
    func location(ofStored digest: Digest) throws -> ContentLocation? {
        try location(of: digest) { reader.holds(contentOf: digest, at: $0) }
    }

    /// Runs `body`. Within it the bytes of complete contents aren't copied: they must stay unchanged until it returns.
    func lending(_ body: () throws -> Void) throws { try segment.lending(body) }

    /// The first bytes of a content, at most `maximumByteCount`, read from its location.
    func read(_ location: ContentLocation, atMost maximumByteCount: Int) throws -> [UInt8] {
        let byteCount = min(location.byteCount, UInt64(maximumByteCount))
        let start = ContentLocation(segment: location.segment, offset: location.offset, byteCount: byteCount)
        var bytes: [UInt8] = []
        if location.segment == segment.identifier {
            try segment.readPieces(of: start, by: 1 << 16) { bytes += $0 }
        } else {
            try reader.readPieces(of: start) { bytes += $0 }
        }
        return bytes
    }

    /// Releases the memory used for comparing. Call it after the last content.
    func endDeduplication() {
        table = ContentTable(spillingTo: path)
        untabled = []
    }

    /// Makes the segment durable. Returns false, and leaves no file, when there is nothing new.
    func finish() throws -> Bool { try segment.finish() }

    /// Removes what was written. Has no effect once the segment is finished.
    func discard() { segment.discard() }

    private func endNewContent(_ digest: Digest) throws -> ContentLocation {
        let location = segment.endContent()
        try enter(digest, at: location, isVerified: true, replacing: true)
        return location
    }

    private func location(
        of digest: Digest,
        isThere: (ContentLocation) -> Bool
    ) throws -> ContentLocation? {
        let found = try table.find(digest)
        if let found, found.isVerified { return found.location }
        let candidates =
            [found?.location]
            + untabled.lazy.map { release in
                release.index.find(digest: digest).flatMap { release.location(of: $0) }
            }
        guard let location = candidates.lazy.compactMap(\.self).first(where: isThere) else { return nil }
        try enter(digest, at: location, isVerified: true, replacing: true)
        return location
    }

    private func enter(_ digest: Digest, at location: ContentLocation, isVerified: Bool, replacing: Bool) throws {
        if try !replacing && table.find(digest) != nil { return }
        try table.insert(ContentTable.Record(digest: digest, location: location, isVerified: isVerified))
    }
}
