import BundleArchive
import BundleStore

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
