import BundleModel

/// Counts one archive against its ``ArchiveLimits``. Sizes are charged as declared in the archive, before a byte is
/// read; reading then holds every entry to its declaration.
///
/// Not thread-safe, except for its deadline.
final class ReadBudget {
    private let limits: ArchiveLimits
    /// The time limit for reading.
    let deadline: Deadline
    /// The number of bytes above which the compression ratio is too high for this archive.
    private let ratioByteCount: Int64

    private var entryCount = 0
    private var totalByteCount: Int64 = 0
    /// The maximum number of folders that occur only in names.
    private var impliedFolderCount = 0
    /// The folder of the previous entry, or that entry itself if it is a folder, with a trailing slash.
    private var previousFolder: [UInt8] = []

    init(_ limits: ArchiveLimits, archiveByteCount: Int64) {
        self.limits = limits
        deadline = Deadline(after: limits.maximumDuration, clock: limits.clock)
        let (product, overflow) = archiveByteCount.multipliedReportingOverflow(by: limits.maximumCompressionRatio)
        ratioByteCount = max(limits.ratioFreeByteCount, overflow ? .max : product)
    }

    /// Counts an entry, and the folders in its name that the previous entry isn't in: otherwise a small archive could
    /// create millions of folders.
    func charge(_ entry: ArchiveEntry) throws(ArchiveError) {
        entryCount += 1
        try checkEntryCount(Int64(entryCount))
        countFolders(in: entry.kind == .directory ? entry.name + "/" : entry.name)
        guard impliedFolderCount <= limits.maximumEntryCount else {
            throw Self.exceeded("has more than \(limits.maximumEntryCount) folders in the names of its entries")
        }
    }

    private func countFolders(in name: String) {
        var name = name
        name.withUTF8 { bytes in
            let slash = UInt8(ascii: "/")
            let folder = bytes.lastIndex(of: slash).map { UnsafeBufferPointer(rebasing: bytes[...$0]) }
            guard let folder else { return previousFolder = [] }
            let isSame = previousFolder.withUnsafeBytes { $0.hasSameBytes(as: UnsafeRawBufferPointer(folder)) }
            guard !isSame else { return }
            let sharedByteCount = zip(folder, previousFolder).prefix { $0 == $1 }.count
            impliedFolderCount += folder[sharedByteCount...].count { $0 == slash }
            previousFolder = Array(folder)
        }
    }

    /// Checks the number of entries declared by the archive.
    func checkEntryCount(_ count: Int64) throws(ArchiveError) {
        guard count <= limits.maximumEntryCount else {
            throw Self.exceeded("has more than \(limits.maximumEntryCount) entries")
        }
    }

    /// Counts a file of `byteCount` bytes.
    func chargeFile(byteCount: Int64) throws(ArchiveError) {
        guard byteCount <= limits.maximumEntryByteCount else {
            throw Self.exceeded("is larger than \(limits.maximumEntryByteCount) bytes")
        }
        let (total, overflow) = totalByteCount.addingReportingOverflow(byteCount)
        guard !overflow, total <= limits.maximumTotalByteCount else {
            throw Self.exceeded("makes the total size larger than \(limits.maximumTotalByteCount) bytes")
        }
        totalByteCount = total
        try checkRatio(producedByteCount: total)
    }

    /// Checks how many bytes the archive has produced, or will produce.
    func checkRatio(producedByteCount: Int64) throws(ArchiveError) {
        guard producedByteCount <= ratioByteCount else {
            throw Self.exceeded(
                "unpacks to over \(limits.maximumCompressionRatio) times the archive's size, as a decompression bomb does"
            )
        }
    }

    /// Checks the length of an entry's name and the depth of the entry.
    func checkName(of entry: ArchiveEntry) throws(ArchiveError) {
        let name = entry.name.utf8
        guard name.count <= limits.maximumNameByteCount else {
            throw Self.exceeded("has a name of over \(limits.maximumNameByteCount) bytes")
        }
        // Exceeding the depth takes that many slashes and names between them; most names are too short for that.
        guard name.count >= limits.maximumDepth,
            name.count(where: { $0 == UInt8(ascii: "/") }) >= limits.maximumDepth
        else { return }
        let componentCount = name.split(separator: UInt8(ascii: "/")).count { !$0.elementsEqual(".".utf8) }
        guard componentCount - (entry.kind == .directory ? 0 : 1) <= limits.maximumDepth else {
            throw Self.exceeded("lies deeper than \(limits.maximumDepth) folders")
        }
    }

    /// Checks the length of a link's target: up to some hundreds of targets are held in memory at a time.
    func checkTarget(of entry: ArchiveEntry) throws(ArchiveError) {
        switch entry.kind {
        case .symbolicLink(let target), .hardLink(let target):
            try Self.checkTarget(byteCount: Int64(target.utf8.count))
        default: break
        }
    }

    /// Checks the length of a link's target: Linux's `PATH_MAX`.
    static func checkTarget(byteCount: Int64) throws(ArchiveError) {
        guard byteCount <= maximumTargetByteCount else {
            throw exceeded("is a link to a path of over \(maximumTargetByteCount) bytes")
        }
    }

    private static let maximumTargetByteCount: Int64 = 4_096

    /// Checks that the time limit hasn't passed.
    func checkTime() throws(ArchiveError) {
        guard !deadline.hasPassed() else { throw .outOfTime }
    }

    private static func exceeded(_ problem: String) -> ArchiveError {
        ArchiveError(.limitExceeded, problem, advice: "don't install it unless you trust its publisher")
    }
}

extension ArchiveError {
    static var outOfTime: ArchiveError {
        ArchiveError(
            .limitExceeded,
            "takes longer to read than allowed",
            advice: "try again when the machine is less busy, and don't install it unless you trust its publisher"
        )
    }
}
