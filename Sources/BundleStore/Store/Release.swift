import Foundation

/// One installed version of a bundle, opened for reading: its manifest, and its files through a mapped index.
///
/// Immutable; safe to share between threads. It stays readable for as long as it is held, even when it is replaced,
/// removed or pruned meanwhile.
public final class Release: Sendable {
    /// What `bundle.json` says.
    public let manifest: BundleManifest
    /// When it was installed.
    public let installedAt: Date
    /// When it last became the active one, or nil when it never did.
    public let activatedAt: Date?
    /// What it is to its bundle.
    public let state: ReleaseState
    /// SHA-256 over the sorted paths and contents and the manifest: equal for equal content, however it was packed.
    public let contentDigest: Digest
    /// The sum of its files' lengths in bytes.
    public let byteCount: Int64

    let record: ReleaseRecord
    let index: VersionIndex
    private let segments: [Segment?]

    init(_ record: ReleaseRecord, index: VersionIndex, segments: [Segment?]) throws(BundleError) {
        self.record = record
        self.index = index
        self.segments = segments
        manifest = try BundleManifest.parse(record.manifest).manifest
        installedAt = record.installedAt
        activatedAt = record.activatedAt
        contentDigest = record.contentDigest
        byteCount = record.byteCount
        state = record.isActive ? .active : record.activatedAt == nil ? .installed : .retained
    }

    /// The bundle's name.
    public var name: BundleName { record.name }
    /// The release's version.
    public var version: BundleVersion { record.version }
    /// The number of files.
    public var fileCount: Int { index.count }

    /// The file with exactly this path, or nil. Takes the same time however many files there are.
    public func asset(at path: BundlePath) -> Asset? {
        var string = path.string
        return string.withUTF8 { asset(atPath: UnsafeRawBufferPointer($0)) }
    }

    /// The file whose path is exactly these bytes of UTF-8, or nil.
    public func asset(atPath path: UnsafeRawBufferPointer) -> Asset? {
        index.find(path: path).map { Asset(entry: $0, release: self) }
    }

    /// Every file, in the order of the paths' bytes.
    public var assets: some Sequence<Asset> {
        (0..<index.count).lazy.compactMap { number in
            self.index.entry(number).map { Asset(entry: $0, release: self) }
        }
    }

    var openSegments: [Segment] { segments.compactMap(\.self) }

    /// The stretch of the segment that an entry names, or nil when the segment is missing or shorter.
    func contents(of entry: IndexEntry) -> ByteSlice? {
        guard segments.indices.contains(entry.segment), let segment = segments[entry.segment] else { return nil }
        let (end, overflow) = entry.offset.addingReportingOverflow(entry.byteCount)
        guard !overflow, end <= segment.byteCount else { return nil }
        return segment.slice(Int(entry.offset)..<Int(end))
    }

    /// Where an entry's content is, for a new version that has the same.
    func location(of entry: IndexEntry) -> ContentLocation? {
        guard contents(of: entry) != nil else { return nil }
        return ContentLocation(
            segment: index.segments[entry.segment],
            offset: entry.offset,
            byteCount: entry.byteCount
        )
    }
}
