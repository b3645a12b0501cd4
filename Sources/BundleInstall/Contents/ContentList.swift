import BundleArchive
import BundleStore

/// The files of a release, and where each one's compressed bytes are in its archive: a client that has some of them
/// fetches the others alone.
///
/// A value type; safe to share between threads.
package struct ContentList: Equatable, Sendable {
    /// One file.
    package struct File: Equatable, Sendable {
        /// The path in the bundle.
        package let path: BundlePath
        /// The length in bytes.
        package let byteCount: Int64
        /// SHA-256 of the content.
        package let digest: Digest
        /// Where its bytes are in the archive; nil when it has no place of its own there, as in a compressed tar.
        package let extent: CompressedExtent?

        package init(path: BundlePath, byteCount: Int64, digest: Digest, extent: CompressedExtent?) {
            self.path = path
            self.byteCount = byteCount
            self.digest = digest
            self.extent = extent
        }
    }

    /// The longest list in bytes, decoded: some 140,000 files. A larger release is fetched by a patch, or as a whole.
    package static let maximumByteCount = 32 << 20
    /// The longest list in bytes as it is fetched.
    package static let maximumEncodedByteCount: Int64 = 8 << 20

    /// The longest list that may come of this many bytes: a digest doesn't compress, so a real list is a few times as long,
    /// and what claims to be much longer would only fill the memory.
    package static func maximumByteCount(encodedAs byteCount: Int) -> Int {
        min(maximumByteCount, byteCount * 64 + (1 << 16))
    }

    /// The bundle.
    package let name: BundleName
    /// The release's version.
    package let version: BundleVersion
    /// SHA-256 of the archive that the extents are in.
    package let archive: Digest
    /// The files in the order of their paths' bytes.
    package let files: [File]

    package init(name: BundleName, version: BundleVersion, archive: Digest, files: [File]) {
        self.name = name
        self.version = version
        self.archive = archive
        self.files = files
    }
}

extension ContentList {
    /// The members of its document.
    package enum Key {
        package static let name = "name"
        package static let version = "version"
        package static let archive = "archive"
        package static let files = "files"
        package static let path = "path"
        package static let size = "size"
        package static let digest = "sha256"
        package static let offset = "offset"
        package static let length = "length"
        package static let method = "method"
    }

    /// How a file is kept in the archive.
    package enum Method {
        package static let stored = "store"
        package static let deflated = "deflate"
    }
}

extension ContentList {
    /// How many bytes of a list are held in memory besides its text and its files: a file has a path and a digest.
    private static let heldByteCount = 1 << 20

    /// Reads a list, in some three times as much memory as its text takes.
    ///
    /// - Parameters:
    ///   - bytes: JSON under Zstandard, as ``encoded()`` returns it.
    ///   - name: The list's URL or file name in errors.
    ///   - archiveByteCount: The length of the archive that the extents are in.
    ///   - limits: What a release may have.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when the text is too long, isn't JSON, or has a
    ///   wrong file: a path that can't be installed or isn't in order, or an extent outside of the archive.
    package init(
        reading bytes: [UInt8],
        named name: String,
        archiveByteCount: Int64,
        limits: ArchiveLimits
    ) throws(BundleError) {
        guard
            let json = ZstandardFrame.decode(
                bytes,
                maximumByteCount: Self.maximumByteCount(encodedAs: bytes.count)
            )
        else {
            throw BundleError(.invalidFeed, "\(Printable.text(name)): isn't a content list under Zstandard")
        }
        var reader = ContentListReader(archiveByteCount: archiveByteCount, limits: limits)
        let root = try JSONElement(
            parsing: json,
            named: name,
            refusedAs: .invalidFeed,
            within: Self.heldByteCount,
            passing: Key.files
        ) { element throws(BundleError) in try reader.add(element) }
        self.init(
            name: try reader.name(of: root),
            version: try reader.version(of: root),
            archive: try reader.digest(root.required(Key.archive)),
            files: try reader.files(of: root)
        )
    }
}

/// Reads the parts of a content list, and holds them to the limits that the archive's entries are held to.
struct ContentListReader {
    private typealias Key = ContentList.Key

    let archiveByteCount: Int64
    let limits: ArchiveLimits
    private var files: [ContentList.File] = []
    private var total: Int64 = 0

    init(archiveByteCount: Int64, limits: ArchiveLimits) {
        self.archiveByteCount = archiveByteCount
        self.limits = limits
    }

    func name(of root: JSONElement) throws(BundleError) -> BundleName {
        let element = try root.required(Key.name)
        guard let name = BundleName(try element.string()) else { throw element.refused("isn't a bundle name") }
        return name
    }

    func version(of root: JSONElement) throws(BundleError) -> BundleVersion {
        let element = try root.required(Key.version)
        guard let version = BundleVersion(try element.string()) else { throw element.refused("isn't a version") }
        return version
    }

    func digest(_ element: JSONElement) throws(BundleError) -> Digest {
        guard let digest = Digest(hex: try element.string()) else {
            throw element.refused("isn't a SHA-256 digest of 64 hexadecimal digits")
        }
        return digest
    }

    /// The files that were added; `root` must have a list of them.
    func files(of root: JSONElement) throws(BundleError) -> [ContentList.File] {
        _ = try root.required(Key.files).array()
        return files
    }

    /// Adds the next file.
    mutating func add(_ element: JSONElement) throws(BundleError) {
        guard files.count < limits.maximumEntryCount else {
            throw element.refused("is one more than the limit of \(limits.maximumEntryCount) files")
        }
        let file = try file(element)
        if let last = files.last, !last.path.string.utf8.lexicographicallyPrecedes(file.path.string.utf8) {
            throw element.refused("isn't in the order of the paths' bytes")
        }
        total = total.addingReportingOverflow(file.byteCount).partialValue
        guard total >= 0, total <= limits.maximumTotalByteCount else {
            throw element.refused("makes the total size larger than \(limits.maximumTotalByteCount) bytes")
        }
        files.append(file)
    }

    private func file(_ element: JSONElement) throws(BundleError) -> ContentList.File {
        let size = try number(element.required(Key.size), atMost: limits.maximumEntryByteCount)
        return ContentList.File(
            path: try path(element.required(Key.path)),
            byteCount: size,
            digest: try digest(element.required(Key.digest)),
            extent: try extent(element, of: size)
        )
    }

    private func path(_ element: JSONElement) throws(BundleError) -> BundlePath {
        do {
            let path = try BundlePath(try element.string())
            try PortableName.check(path)
            return path
        } catch {
            throw element.refused("\(error)", cause: error)
        }
    }

    private func extent(_ element: JSONElement, of size: Int64) throws(BundleError) -> CompressedExtent? {
        guard let start = try element.member(Key.offset) else { return nil }
        let offset = try number(start, atMost: archiveByteCount)
        let length = try element.required(Key.length)
        let extent = CompressedExtent(
            offset: offset,
            byteCount: try number(length, atMost: archiveByteCount - offset),
            isDeflated: try isDeflated(element.required(Key.method))
        )
        guard extent.isDeflated || extent.byteCount == size else {
            throw length.refused("isn't the size of the file, which is stored as it is")
        }
        // Deflate adds five bytes to each block of what it can't compress (RFC 1951 §3.2.4).
        guard extent.byteCount <= size + size / 1_000 + 64 else {
            throw length.refused("is more than a file of \(size) bytes takes")
        }
        return extent
    }

    private func isDeflated(_ element: JSONElement) throws(BundleError) -> Bool {
        switch try element.string() {
        case ContentList.Method.deflated: true
        case ContentList.Method.stored: false
        case let method: throw element.refused("“\(Printable.text(method))” isn't a method that is supported")
        }
    }

    private func number(_ element: JSONElement, atMost limit: Int64) throws(BundleError) -> Int64 {
        guard case .number(let number) = element.value else { throw element.mismatch("a number of bytes") }
        guard let value = number.int64, (0...limit).contains(value) else {
            throw element.refused("“\(Printable.text(number.text))” is not a whole number of bytes from 0 to \(limit)")
        }
        return value
    }
}
