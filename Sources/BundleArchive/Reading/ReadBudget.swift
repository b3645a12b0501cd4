/// What ``ArchiveLimits`` leave for one archive. Sizes are charged as the archive declares them, before a byte is read;
/// reading then holds every entry to its declaration.
struct ReadBudget {
    private let limits: ArchiveLimits
    /// When reading must have ended.
    let deadline: Deadline
    /// The number of bytes over which the compression ratio is too high for this archive.
    private let ratioByteCount: Int64

    private var entryCount = 0
    private var totalByteCount: Int64 = 0
    /// The name of the entry before, with a slash at its end for a folder.
    private var previousName = ""

    init(_ limits: ArchiveLimits, archiveByteCount: Int64) {
        self.limits = limits
        deadline = Deadline(after: limits.maximumDuration, clock: limits.clock)
        let (product, overflow) = archiveByteCount.multipliedReportingOverflow(by: limits.maximumCompressionRatio)
        ratioByteCount = max(limits.ratioFreeByteCount, overflow ? .max : product)
    }

    /// Counts one more entry, and the folders that its name has and the one before hasn't: without them a small archive
    /// could make millions of folders.
    mutating func charge(_ entry: ArchiveEntry) throws(ArchiveError) {
        entryCount += 1 + newFolderCount(of: entry.name)
        previousName = entry.kind == .directory ? entry.name + "/" : entry.name
        guard entryCount <= limits.maximumEntryCount else {
            throw Self.exceeded("has more than \(limits.maximumEntryCount) entries, with the folders in their names")
        }
        try checkTime()
    }

    private func newFolderCount(of name: String) -> Int {
        let sharedByteCount = zip(name.utf8, previousName.utf8).prefix { $0 == $1 }.count
        return name.utf8.dropFirst(sharedByteCount).count { $0 == UInt8(ascii: "/") }
    }

    /// Checks a number of entries that the archive announces.
    func checkEntryCount(_ count: Int64) throws(ArchiveError) {
        guard count <= limits.maximumEntryCount else {
            throw Self.exceeded("has more than \(limits.maximumEntryCount) entries")
        }
    }

    /// Counts a file of `byteCount` bytes.
    mutating func chargeFile(byteCount: Int64) throws(ArchiveError) {
        guard byteCount <= limits.maximumEntryByteCount else {
            throw Self.exceeded("is larger than \(limits.maximumEntryByteCount) bytes")
        }
        let (total, overflow) = totalByteCount.addingReportingOverflow(byteCount)
        guard !overflow, total <= limits.maximumTotalByteCount else {
            throw Self.exceeded("makes the files larger than \(limits.maximumTotalByteCount) bytes together")
        }
        totalByteCount = total
        try checkRatio(producedByteCount: total)
    }

    /// Checks how much has come, or will come, out of the archive.
    func checkRatio(producedByteCount: Int64) throws(ArchiveError) {
        guard producedByteCount <= ratioByteCount else {
            throw Self.exceeded(
                "unpacks to over \(limits.maximumCompressionRatio) times the archive's size, as a decompression bomb does"
            )
        }
    }

    /// Checks the length of an entry's name, and how deep the entry lies.
    func checkName(of entry: ArchiveEntry) throws(ArchiveError) {
        let name = entry.name.utf8
        guard name.count <= limits.maximumNameByteCount else {
            throw Self.exceeded("is a name of over \(limits.maximumNameByteCount) bytes")
        }
        // No depth without as many slashes, which are quicker to count.
        guard name.count(where: { $0 == UInt8(ascii: "/") }) >= limits.maximumDepth else { return }
        let componentCount = name.split(separator: UInt8(ascii: "/")).count { !$0.elementsEqual(".".utf8) }
        guard componentCount - (entry.kind == .directory ? 0 : 1) <= limits.maximumDepth else {
            throw Self.exceeded("lies deeper than \(limits.maximumDepth) folders")
        }
    }

    /// Checks that there is time left.
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
