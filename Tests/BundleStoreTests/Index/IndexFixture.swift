@testable import BundleStore

/// One file for an index.
struct IndexedFile {
    let path: BundlePath
    let mediaType: String
    let digest: Digest
    let location: ContentLocation

    /// A file whose content is assumed to be in `segment`; the content itself isn't written.
    static func made(
        _ path: String,
        content: String,
        mediaType: String = "text/plain",
        segment: FileIdentifier = FileIdentifier(value: 1)
    ) throws -> Self {
        let bytes = Array(content.utf8)
        return Self(
            path: try BundlePath(path),
            mediaType: mediaType,
            digest: Digest(of: bytes),
            location: ContentLocation(segment: segment, offset: 64, byteCount: UInt64(bytes.count))
        )
    }
}

extension IndexWriter {
    func add(_ file: IndexedFile) throws {
        try Array(file.path.string.utf8).withUnsafeBytes {
            try add(path: $0, mediaType: file.mediaType, digest: file.digest, location: file.location, mark: .none)
        }
    }
}

extension VersionIndex {
    func find(_ path: String) -> IndexEntry? {
        Array(path.utf8).withUnsafeBytes { find(path: $0) }
    }

    /// The names of all entries in order; nil for one that lies outside the file.
    var names: [String?] {
        (0..<count).map { number in
            entry(number).flatMap { name(of: $0) }.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension StoreLayout {
    /// Writes an index of `files`, given in any order.
    func writeIndex(_ files: [IndexedFile], key: SipHash.Key = .random()) throws -> VersionIndex {
        let identifier = FileIdentifier.random()
        let writer = try IndexWriter(identifier, entryCount: files.count, key: key, in: self)
        for file in files.sorted(by: { $0.path < $1.path }) { try writer.add(file) }
        _ = try writer.finish()
        return try VersionIndex(identifier, in: self)
    }
}
