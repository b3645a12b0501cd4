import Foundation
import SystemPackage

import struct Crypto.SHA256

/// One installed version of a bundle, opened for reading: its manifest, and its files through a mapped index.
///
/// Immutable; safe to share between threads. It stays readable as long as it is held, even if it is replaced, removed
/// or pruned meanwhile.
public final class Release: Sendable {
    /// The content of `bundle.json`.
    public let manifest: BundleManifest
    /// When it was installed.
    public let installedAt: Date
    /// When it was last activated, or nil when it never was.
    public let activatedAt: Date?
    /// The state of the release within its bundle.
    public let state: ReleaseState
    /// SHA-256 over the sorted paths and contents and the manifest: equal for equal content, regardless of the packing.
    package let contentDigest: Digest
    /// The sum of its files' lengths in bytes.
    public let byteCount: Int64

    /// Why it couldn't be opened; nil when it could.
    let openingDamage: StoreDamage?
    let record: ReleaseRecord
    let index: VersionIndex
    /// The segments that only a newer program can read.
    let newerSegments: Set<FileIdentifier>
    /// Nil when the manifest sets no field.
    let headerFields: HeaderFieldTable?
    private let segments: [Segment?]
    /// The files that couldn't be opened, with their stamps at that time.
    private let missing: [FilePath: MappedFile.Stamp?]
    private let checks: ContentChecks
    private let damageHandler: DamageHandler

    /// - Parameters:
    ///   - earlier: The same release as opened from an earlier state of the catalog: its check results are reused.
    ///   - openingDamage: Why the index isn't the release's own; nil when it is.
    ///   - missing: The files that couldn't be opened, with their stamps; nil for files that didn't exist.
    ///   - damageHandler: Called once for each file whose content doesn't match its digest, when it is first read.
    init(
        _ record: ReleaseRecord,
        index: VersionIndex,
        segments: [Segment?],
        newerSegments: Set<FileIdentifier>,
        earlier: Release?,
        openingDamage: StoreDamage? = nil,
        missing: [FilePath: MappedFile.Stamp?] = [:],
        damageHandler: @escaping DamageHandler
    ) throws(BundleError) {
        self.openingDamage = openingDamage
        self.missing = missing
        self.record = record
        self.index = index
        self.segments = segments
        self.newerSegments = newerSegments
        self.damageHandler = damageHandler
        let hasSameSegments = earlier?.segments.elementsEqual(segments, by: { $0 === $1 }) == true
        checks = (hasSameSegments ? earlier?.checks : nil) ?? ContentChecks(entryCount: index.count)
        if let earlier, earlier.record.manifest == record.manifest {
            manifest = earlier.manifest
            headerFields = earlier.headerFields
        } else {
            let manifest = try BundleManifest.parse(stored: record.manifest)
            self.manifest = manifest
            headerFields = manifest.headers.isEmpty ? nil : HeaderFieldTable(manifest)
        }
        installedAt = record.installedAt
        activatedAt = record.activatedAt
        contentDigest = record.contentDigest
        byteCount = record.byteCount
        state = record.isActive ? .active : record.activatedAt == nil ? .installed : .retained
    }

    /// A release in no store, without files.
    init(withoutFiles manifest: BundleManifest) {
        self.manifest = manifest
        record = ReleaseRecord(withoutFiles: manifest)
        index = VersionIndex(unreadable: record.index, in: StoreLayout(root: ""))
        (segments, newerSegments, missing) = ([], [], [:])
        (openingDamage, headerFields) = (nil, nil)
        checks = ContentChecks(entryCount: 0)
        damageHandler = { _ in }
        (installedAt, activatedAt) = (record.installedAt, record.activatedAt)
        (contentDigest, byteCount, state) = (record.contentDigest, 0, .active)
    }

    /// The bundle's name.
    public var name: BundleName { record.name }
    /// The release's version.
    public var version: BundleVersion { record.version }
    /// The number of files.
    public var fileCount: Int { isReadable ? index.count : record.fileCount }
    /// Whether it could be opened. If not, none of its files can be read, but the catalog's record of it is known.
    public var isReadable: Bool { index.isReadable }

    /// The file with exactly this path, or nil. The time doesn't depend on the number of files.
    public func asset(at path: BundlePath) -> Asset? {
        var string = path.string
        return string.withUTF8 { asset(atPath: UnsafeRawBufferPointer($0)) }
    }

    /// The file whose path is exactly these bytes of UTF-8, or nil.
    public func asset(atPath path: UnsafeRawBufferPointer) -> Asset? {
        index.number(ofPath: path).map { Asset(number: $0, release: self) }
    }

    /// A file with this content, or nil; any of them when there are several. The time doesn't depend on the number of
    /// files.
    package func asset(withContent digest: Digest) -> Asset? {
        index.find(digest: digest).map { Asset(number: $0.number, release: self) }
    }

    /// Every file, in the order of the paths' bytes.
    public var assets: some Sequence<Asset> {
        (0..<index.count).lazy.map { Asset(number: $0, release: self) }
    }

    /// SHA-256 over the files alone: in path order, each file's path, a zero byte, and the digest of its content. Equal
    /// for equal files, whatever program installed them. Takes time in proportion to the number of files.
    package func filesDigest() -> Digest {
        var digester = ReleaseDigester(manifest: [])
        for number in 0..<index.count {
            let entry = index[number]
            guard let path = index.name(of: entry) else { continue }
            digester.add(path: path, entry.digest)
        }
        return digester.digest()
    }

    /// Whether only a newer program may move its contents.
    var isNewer: Bool { !newerSegments.isEmpty }

    /// Releases the memory made resident by reading the release.
    package func dropResidentPages() {
        index.dropResidentPages()
        for segment in openSegments { segment.dropResidentPages() }
    }

    var openSegments: [Segment] { segments.compactMap(\.self) }

    /// Whether a read of the mapped index has failed: then no look-up result can be trusted. Always false unless the
    /// store was opened with `survivesFaults`.
    package var hasFaulted: Bool { index.hasFaulted }

    /// Whether the index may have changed since it was opened, so that a file that wasn't found may exist. Queries the
    /// file system.
    package var hasChangedIndex: Bool { index.hasChanged }

    /// Whether one of its files may have changed since it was opened, or since opening it failed. Queries the file
    /// system.
    var hasChanged: Bool {
        index.hasChanged || index.verdict == .damaged || openSegments.contains(where: \.hasChanged)
            || missing.contains { MappedFile.Stamp($0.key) != $0.value }
    }

    /// Whether it has files and none of its segments could be opened.
    package var lacksContents: Bool { index.count > 0 && openSegments.isEmpty }

    /// The range of the segment that an entry names, or nil when the segment is missing or shorter. The content may be
    /// damaged.
    func contents(of entry: IndexEntry) -> ByteSlice? {
        extent(of: entry).flatMap { segment, range in segment.hasFaulted ? nil : segment.slice(range) }
    }

    /// As above, after its digest was checked; nil when the content doesn't match. The first read of an entry compares
    /// them and calls the damage handler, later reads use the recorded result.
    func intactContents(of entry: IndexEntry) -> ByteSlice? {
        switch checks.verdict(ofEntry: entry.number) {
        case .intact: return contents(of: entry)
        case .damaged: return nil
        case nil: break
        }
        let problem = problem(with: entry)
        let isNews = checks.record(problem == nil ? .intact : .damaged, ofEntry: entry.number)
        guard let problem else { return contents(of: entry) }
        if isNews {
            damageHandler(problem.damage(to: Asset(number: entry.number, release: self)))
        }
        return nil
    }

    private func problem(with entry: IndexEntry) -> ContentProblem? {
        guard let (segment, range) = extent(of: entry), segment.slice(range) != nil else {
            let isNewer =
                index.segments.indices.contains(entry.segment)
                && newerSegments.contains(index.segments[entry.segment])
            return isNewer ? .newerFormat : .missing
        }
        do {
            return try segment.digest(of: range) == entry.digest ? nil : .changed
        } catch {
            return .unreadable(error as? Errno ?? .ioError)
        }
    }

    private func extent(of entry: IndexEntry) -> (Segment, Range<Int>)? {
        guard segments.indices.contains(entry.segment), let segment = segments[entry.segment] else { return nil }
        let (end, overflow) = entry.offset.addingReportingOverflow(entry.byteCount)
        guard !overflow, end <= segment.byteCount else { return nil }
        return (segment, Int(entry.offset)..<Int(end))
    }

    /// The location of an entry's content, for a new version with the same content.
    func location(of entry: IndexEntry) -> ContentLocation? {
        guard contents(of: entry) != nil else { return nil }
        return ContentLocation(
            segment: index.segments[entry.segment],
            offset: entry.offset,
            byteCount: entry.byteCount
        )
    }
}

/// The state of a release within its bundle.
public enum ReleaseState: String, Sendable, Codable {
    /// It is served now.
    case active
    /// It was active earlier, and is kept for rollback and for pages that still use it.
    case retained
    /// It was installed and never activated.
    case installed
}

extension Release {
    /// What stands for a release where no bundle covers a URL: it is in no store, and has no files and no origins. What an
    /// app loads beside its bundles is cached under it.
    package static let unbundled = Release(withoutFiles: .unbundled)

    /// Its bundle and version.
    package var releaseName: ReleaseName { ReleaseName(name, version) }

    /// Whether it is ``unbundled``.
    package var isUnbundled: Bool { name == .unbundled }

    /// The error for reading files of a release that couldn't be opened; nil when it could.
    package var openingError: BundleError? {
        openingDamage.map { $0.error }
    }

    /// Whether it is only removed on explicit request; see ``BundleStore/setPinned(_:_:_:waits:)``.
    public var isPinned: Bool { record.isPinned }

    /// Distinguishes this activation from all others; nil when it never was activated.
    package var activationNumber: Int64? { record.activationNumber }
}

extension SegmentContents {
    init(segment: FileIdentifier, releases: [Release], maximumByteCount: Int = SegmentContents.maximumByteCount) {
        self.init(segment: segment, indexes: releases.map(\.index), maximumByteCount: maximumByteCount)
    }
}
