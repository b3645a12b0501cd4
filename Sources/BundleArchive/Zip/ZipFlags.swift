/// The general purpose bit flags of an entry (APPNOTE 6.3.10, section 4.4.4).
struct ZipFlags: OptionSet {
    let rawValue: UInt16

    /// The data is encrypted.
    static let encrypted = ZipFlags(rawValue: 1 << 0)
    /// Checksum and sizes follow the data.
    static let dataDescriptor = ZipFlags(rawValue: 1 << 3)
    /// The data is a patch.
    static let patch = ZipFlags(rawValue: 1 << 5)
    /// The data is encrypted with PKWARE's strong encryption.
    static let stronglyEncrypted = ZipFlags(rawValue: 1 << 6)
    /// The name is UTF-8.
    static let utf8 = ZipFlags(rawValue: 1 << 11)
    /// The local header is masked, because the directory is encrypted.
    static let masked = ZipFlags(rawValue: 1 << 13)

    /// Throws for features that aren't supported.
    func checkSupported() throws(ArchiveError) {
        guard isDisjoint(with: [.encrypted, .stronglyEncrypted, .masked]) else { throw .encrypted }
        guard !contains(.patch) else {
            throw ArchiveError(
                .unsupportedFormat,
                "is a patch for another file, which isn't supported",
                advice: "repack it with the file itself"
            )
        }
    }
}

extension ArchiveError {
    static var encrypted: ArchiveError {
        ArchiveError(.encrypted, "is encrypted", advice: "repack it without a password")
    }
}
