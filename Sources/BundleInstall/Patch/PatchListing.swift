import BundleArchive
import BundleStore

/// The paths of a release's files and the lengths of their contents, in the order in which a patch has them.
///
/// A line is a path, a zero byte, and either the length of the content or, for one that an earlier file has too, `=` and
/// that file's number, counted from 0; then a line feed. Lines are in the order of the paths' bytes, so that the listings
/// of two releases differ only where their files do.
struct PatchListing {
    enum Content: Equatable {
        case own(byteCount: Int)
        case same(asFile: Int)
    }

    struct File: Equatable {
        let path: BundlePath
        let content: Content
    }

    private(set) var files: [File] = []

    /// Lists the files of a release.
    init(of release: Release) {
        var owners: [Digest: Int] = [:]
        for asset in release.assets {
            guard let path = try? BundlePath(asset.path) else { continue }
            if let owner = owners[asset.digest] {
                files.append(File(path: path, content: .same(asFile: owner)))
            } else {
                owners[asset.digest] = files.count
                files.append(File(path: path, content: .own(byteCount: asset.byteCount)))
            }
        }
    }

    /// Reads a listing.
    ///
    /// - Parameters:
    ///   - bytes: The lines.
    ///   - contentByteCount: The length of all contents together.
    ///   - limits: What a release may have.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when a line is wrong, the lengths don't add up, or the
    ///   files have more bytes together than a release may have: several may have the same content.
    init(
        parsing bytes: UnsafeRawBufferPointer,
        contentByteCount: Int,
        limits: ArchiveLimits
    ) throws(BundleError) {
        var rest = bytes[...]
        var left = contentByteCount
        var byteCounts: [Int] = []
        var room = limits.maximumTotalByteCount
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let file = try file(rest[..<end])
            switch file.content {
            case .own(let byteCount):
                guard byteCount <= left, byteCount <= limits.maximumEntryByteCount else { throw Self.wrong }
                left -= byteCount
                byteCounts.append(byteCount)
            case .same(let number): byteCounts.append(byteCounts[number])
            }
            room -= Int64(byteCounts[files.count])
            guard room >= 0, files.count < limits.maximumEntryCount else { throw Self.wrong }
            files.append(file)
            rest = rest[(end + 1)...]
        }
        guard rest.isEmpty, left == 0 else { throw Self.wrong }
    }

    private func file(_ line: Slice<UnsafeRawBufferPointer>) throws(BundleError) -> File {
        guard let separator = line.firstIndex(of: 0) else { throw Self.wrong }
        let number = line[(separator + 1)...]
        return File(
            path: try Self.path(line[..<separator]),
            content: number.first == UInt8(ascii: "=")
                ? .same(asFile: try Self.number(number.dropFirst(), below: files.count))
                : .own(byteCount: try Self.number(number, below: .max))
        )
    }

    private static func path(_ bytes: Slice<UnsafeRawBufferPointer>) throws(BundleError) -> BundlePath {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw wrong }
        do {
            let path = try BundlePath(text)
            try PortableName.check(path)
            return path
        } catch {
            throw BundleError(.invalidFeed, "the patch's listing: \(error)", cause: error)
        }
    }

    /// Decimal digits alone, with no zero in front, so that equal listings have equal bytes.
    private static func number(_ digits: Slice<UnsafeRawBufferPointer>, below limit: Int) throws(BundleError) -> Int {
        guard let number = Int(String(decoding: digits, as: UTF8.self)), number >= 0, number < limit,
            String(number).utf8.elementsEqual(digits)
        else { throw wrong }
        return number
    }

    private static var wrong: BundleError { BundleError(.invalidFeed, "the patch's listing of files is wrong") }

    /// The lines.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for file in files {
            bytes += file.path.string.utf8
            bytes.append(0)
            switch file.content {
            case .own(let byteCount): bytes += String(byteCount).utf8
            case .same(let number): bytes += "=\(number)".utf8
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}
