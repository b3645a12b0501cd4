import BundleArchive

extension ArchiveFormats {
    /// Zip, and tar with at most one layer of compression: gzip, xz, or Zstandard. Tar is read by libarchive and liblzma.
    public static let zipAndTar = ArchiveFormats { file, format, budget, charset throws(ArchiveError) in
        try TarSource(file: file, format: format, budget: budget, charset: charset)
    }
}

extension ArchiveFormat {
    /// A decompressor for the format; nil when it has no compression.
    func makeDecompressor() throws(ArchiveError) -> (any Decompressor)? {
        switch self {
        case .zip, .tar: nil
        case .tarGzip: try GzipDecompressor()
        case .tarXz: try XzDecompressor()
        case .tarZstandard: try ZstandardDecompressor()
        }
    }
}
