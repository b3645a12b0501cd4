/// Entries of a zip archive, in the order of its central directory, each checked against its local header.
///
/// Memory doesn't grow with the number of entries as long as they are stored in the order of the directory.
final class ZipSource: ArchiveSource {
    /// Longer data is left on disk until it is decoded.
    private static let maximumLoadedByteCount: Int64 = 128 << 10

    private let file: ArchiveFile
    private let end: ZipEndRecord
    private let deadline: Deadline
    private let text: ZipTextDecoder
    private let cursor: ZipDirectoryCursor
    /// The headers and data of the entries.
    private let window: FileWindow
    private let decoder = ZipDecoder()

    private var extents = ZipExtents()
    /// The number of bytes of the entries so far.
    private var extentByteCount: Int64 = 0
    /// The current entry's content, until it is taken.
    private var content: ZipContent?
    private var isBegun = false

    init(file: ArchiveFile, budget: ReadBudget, charset: ArchiveCharset?) throws(ArchiveError) {
        self.file = file
        deadline = budget.deadline
        text = try ZipTextDecoder(charset: charset)
        end = try ZipEndRecord(in: file)
        try budget.checkEntryCount(end.entryCount)
        cursor = ZipDirectoryCursor(in: file, end: end)
        window = FileWindow(of: file, upTo: end.directory.lowerBound)
    }

    var consumedByteCount: Int64 {
        let rest = isBegun ? (content?.compressedByteCount ?? 0) - decoder.consumedByteCount : 0
        return cursor.consumedByteCount + max(0, extentByteCount - rest)
    }

    func next() throws(ArchiveError) -> ArchiveEntry? {
        content = nil
        isBegun = false
        guard let record = try cursor.next() else {
            try extents.checkCover(upTo: end.directory.lowerBound)
            return nil
        }
        do throws(ArchiveError) {
            return try entry(of: record)
        } catch {
            throw error.concerning(String(decoding: record.name, as: UTF8.self))
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard let content, !buffer.isEmpty else { return 0 }
        if !isBegun {
            try decoder.begin(content)
            isBegun = true
        }
        let count = try decoder.read(into: buffer)
        if !decoder.isBusy { self.content = nil }
        return count
    }

    func deferredContent() -> DeferredContent? {
        guard let content, !isBegun else { return nil }
        self.content = nil
        return DeferredContent(content)
    }

    private func entry(of record: ZipDirectoryRecord) throws(ArchiveError) -> ArchiveEntry {
        try record.flags.checkSupported()
        guard !record.extraFields.isEncrypted else { throw .encrypted }
        let name = try text.name(of: record)
        let content = try content(of: record, name: name)
        let hasSlash = name.utf8.last == UInt8(ascii: "/")
        switch try record.attributes.type(hasSlash: hasSlash) {
        case .file:
            self.content = content
            return ArchiveEntry(name: name, kind: .file, byteCount: content.byteCount)
        case .directory:
            try checkEmpty(content)
            return ArchiveEntry(name: Self.withoutSlashes(name), kind: .directory, byteCount: 0)
        case .symbolicLink:
            let target = try target(content, flags: record.flags)
            return ArchiveEntry(name: name, kind: .symbolicLink(target: target), byteCount: 0)
        case .special(let type):
            return ArchiveEntry(name: name, kind: .special(type), byteCount: 0)
        }
    }

    /// The location of the entry's data, after checking that its local header agrees with `record`.
    private func content(of record: ZipDirectoryRecord, name: String) throws(ArchiveError) -> ZipContent {
        let start = record.localHeaderOffset
        guard start < end.directory.lowerBound else { throw .damagedZip("lies outside of the archive") }
        try loadEntry(of: record)
        let header = try ZipLocalHeader(at: start, in: window)
        try header.checkAgrees(with: record)
        try text.checkName(name, agreesWith: header)
        let method = try ZipMethod(record.method)
        guard method != .stored || record.compressedByteCount == record.uncompressedByteCount else { throw .wrongSize }
        let dataOffset = start + Int64(header.byteCount)
        guard record.compressedByteCount <= end.directory.lowerBound - dataOffset else {
            throw .damagedZip("reaches beyond the archive's end")
        }
        let data = dataOffset..<dataOffset + record.compressedByteCount
        let block = window.block(holding: data)
        var extentEnd = data.upperBound
        if header.flags.contains(.dataDescriptor) {
            let isWide = header.extraFields.zip64 != nil
            let descriptor = ZipDataDescriptor(of: record)
            extentEnd += Int64(try descriptor.byteCount(at: extentEnd, in: window, isWide: isWide))
        }
        try extents.insert(start..<extentEnd)
        extentByteCount = min(file.byteCount, extentByteCount + (extentEnd - start))
        return ZipContent(
            file: file,
            entryName: name,
            method: method,
            range: data,
            block: block,
            byteCount: record.uncompressedByteCount,
            checksum: record.checksum,
            deadline: deadline
        )
    }

    /// Loads the whole entry that `record` describes into the window, as far as its size is known before its local
    /// header is read: most of what is read with the headers is data, which then needn't be read again.
    private func loadEntry(of record: ZipDirectoryRecord) throws(ArchiveError) {
        guard record.compressedByteCount <= Self.maximumLoadedByteCount else { return }
        let count = ZipLocalHeader.usualByteCount(nameByteCount: record.name.count) + Int(record.compressedByteCount)
        _ = try window.bytes(at: record.localHeaderOffset, count: count)
    }

    /// Checks that a folder's data, which some programs write, decodes to no bytes.
    private func checkEmpty(_ content: ZipContent) throws(ArchiveError) {
        guard content.byteCount == 0 else { throw .damagedZip("is a folder, by its name or attributes, but has data") }
        try decoder.decode(content, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
    }

    /// A symbolic link's target, which is its data.
    private func target(_ content: ZipContent, flags: ZipFlags) throws(ArchiveError) -> String {
        try ReadBudget.checkTarget(byteCount: content.byteCount)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(content.byteCount), alignment: 1)
        defer { bytes.deallocate() }
        try decoder.decode(content, into: bytes)
        guard !bytes.contains(0) else { throw .damagedZip("is a link to a path with a NUL byte") }
        return try text.text(of: UnsafeRawBufferPointer(bytes), flags: flags)
    }

    private static func withoutSlashes(_ name: String) -> String {
        let trailingCount = name.utf8.reversed().prefix { $0 == UInt8(ascii: "/") }.count
        return String(Substring(name.utf8.prefix(max(1, name.utf8.count - trailingCount))))
    }
}

/// Which bytes of a zip belong to which entry. They must not overlap, as in a decompression bomb, nor leave gaps, which
/// programs that ignore the directory would read.
///
/// Consecutive entries, as in nearly every zip, take no memory.
struct ZipExtents {
    private static let minimumPendingCount = 64
    /// The maximum number of separate extents. Each takes 16 bytes of memory, five times that while they are merged.
    private static let maximumCount = 100_000

    /// The consecutive entries up to the previous one.
    private var run: Range<Int64> = 0..<0
    /// Sorted, disjoint, and not adjacent.
    private var merged: [Range<Int64>] = []
    /// In the order of insertion.
    private var pending: [Range<Int64>] = []

    /// Adds an entry's bytes. Not every overlap is detected at once.
    mutating func insert(_ extent: Range<Int64>) throws(ArchiveError) {
        if extent.lowerBound == run.upperBound {
            run = run.lowerBound..<extent.upperBound
            return
        }
        if !run.isEmpty { pending.append(run) }
        run = extent
        // As many as have been merged already, so that sorting doesn't take quadratic time.
        if pending.count >= max(Self.minimumPendingCount, merged.count) { try merge() }
    }

    /// Checks that the entries cover everything from the start of the file to `end`.
    mutating func checkCover(upTo end: Int64) throws(ArchiveError) {
        if !run.isEmpty { pending.append(run) }
        try merge()
        run = 0..<0
        guard merged.first?.lowerBound ?? 0 == 0 else {
            throw .damagedZip("has data before its first entry")
        }
        guard merged.count <= 1, (merged.last?.upperBound ?? 0) == end else {
            throw .damagedZip("has data that its list of entries doesn't mention")
        }
    }

    private mutating func merge() throws(ArchiveError) {
        var result: [Range<Int64>] = []
        for extent in (merged + pending).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard let last = result.last, extent.lowerBound <= last.upperBound else {
                result.append(extent)
                continue
            }
            guard extent.lowerBound == last.upperBound else {
                throw .damagedZip("has entries that share bytes, as a decompression bomb does")
            }
            result[result.count - 1] = last.lowerBound..<extent.upperBound
        }
        guard result.count <= Self.maximumCount else {
            throw ArchiveError(
                .limitExceeded,
                "lists its entries in an order in which over \(Self.maximumCount) of them don't follow each other",
                advice: "pack it again"
            )
        }
        merged = result
        pending.removeAll(keepingCapacity: true)
    }
}
