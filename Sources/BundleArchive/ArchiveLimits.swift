import BundleModel

/// Limits on the resources that an untrusted archive may use. Every limit is checked before or while bytes are
/// produced, so that a decompression bomb is refused early.
///
/// A value type; safe to share between threads.
public struct ArchiveLimits: Sendable {
    /// The maximum number of entries, including folders; in addition, as many folders that occur only in the names of
    /// entries, counted whenever the entry before isn't in them. Default: 1,000,000.
    public var maximumEntryCount = 1_000_000
    /// The maximum size of one file, in bytes. Default: 4 GiB.
    public var maximumEntryByteCount: Int64 = 4 << 30
    /// The maximum size of all files together, in bytes. Default: 16 GiB.
    public var maximumTotalByteCount: Int64 = 16 << 30
    /// The maximum ratio of the output to the size of the archive's file. It applies from ``ratioFreeByteCount`` on,
    /// because a small archive of repetitive text compresses well and does no harm. One layer of deflate reaches 1,032;
    /// real assets stay under 100. Default: 1,000.
    public var maximumCompressionRatio: Int64 = 1_000
    /// The number of bytes that any archive may produce regardless of its ratio. Default: 16 MiB.
    public var ratioFreeByteCount: Int64 = 16 << 20
    /// The maximum length of a name, in bytes of UTF-8. Default: 4,096.
    public var maximumNameByteCount = 4_096
    /// The maximum number of nested folders that an entry may lie in; a folder counts itself. Default: 64.
    public var maximumDepth = 64
    /// The maximum time from opening the archive to the end of its checks, or nil for no limit. Default: 10 minutes.
    public var maximumDuration: Duration? = .seconds(600)
    /// The clock for ``maximumDuration``.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Creates the default limits: generous for a bundle of web assets, harmless for a server.
    public init() {}
}

/// Counts one archive against its ``ArchiveLimits``. Sizes are charged as declared in the archive, before a byte is
/// read; reading then holds every entry to its declaration.
///
/// Not thread-safe, except for its deadline.
package final class ReadBudget {
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
    package func checkRatio(producedByteCount: Int64) throws(ArchiveError) {
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
    package func checkTime() throws(ArchiveError) {
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

/// A point in time on a clock.
struct Deadline: Sendable {
    /// Whether the point has passed.
    let hasPassed: @Sendable () -> Bool

    /// `duration` from now on `clock`; if nil, never.
    init(after duration: Duration?, clock: any Clock<Duration>) {
        guard let duration else {
            hasPassed = { false }
            return
        }
        hasPassed = Self.check(after: duration, clock: clock)
    }

    private static func check<C: Clock>(
        after duration: Duration,
        clock: C
    ) -> @Sendable () -> Bool where C.Duration == Duration {
        let end = clock.now.advanced(by: duration)
        return { clock.now > end }
    }
}
