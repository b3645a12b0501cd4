import BundleArchive

extension Installer {
    /// The number of bytes by which an archive is recognised.
    package static let recognitionByteCount = ArchiveBeginning.byteCount

    /// Whether bytes are the beginning of an archive that can be installed.
    ///
    /// - Parameter prefix: The first ``recognitionByteCount`` bytes of a file, or the whole of a shorter one.
    package static func recognises(_ prefix: [UInt8]) -> Bool { ArchiveBeginning.isArchive(prefix) }
}
