/// Tells archives from other files by their first bytes.
package enum ArchiveBeginning {
    /// The number of bytes needed; fewer suffice when the file is shorter.
    package static let byteCount = ArchiveSignature.byteCount

    /// Whether bytes are the beginning of an archive of a supported format.
    package static func isArchive(_ prefix: [UInt8]) -> Bool {
        if case .supported = ArchiveSignature(of: prefix) { true } else { false }
    }
}
