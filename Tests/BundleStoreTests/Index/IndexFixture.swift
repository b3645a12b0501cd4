@testable import BundleStore

extension VersionIndexWriter.File {
    /// A file whose content is said to be in `segment`; the content itself is written nowhere.
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

extension VersionIndex {
    func find(_ path: String) -> IndexEntry? {
        Array(path.utf8).withUnsafeBytes { find(path: $0) }
    }

    /// The names of all entries in their order; nil where one lies outside the file.
    var names: [String?] {
        (0..<count).map { number in
            entry(number).flatMap { name(of: $0) }.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension StoreLayout {
    func writeIndex(_ files: [VersionIndexWriter.File]) throws -> VersionIndex {
        let identifier = FileIdentifier.random()
        try VersionIndexWriter(files).write(identifier, in: self)
        return try VersionIndex(identifier, in: self)
    }
}
