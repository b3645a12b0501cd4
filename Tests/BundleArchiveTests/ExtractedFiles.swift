import BundleArchive

#if canImport(BundleTar)
    import BundleTar
#endif

extension ArchiveFormats {
    /// All that there are on this system.
    static var all: ArchiveFormats {
        #if canImport(BundleTar)
            .zipAndTar
        #else
            .zip
        #endif
    }
}

/// The complete contents of an archive, read as an installer reads it.
struct ExtractedFiles {
    private(set) var entries: [ArchiveEntry] = []
    private(set) var files: [String: [UInt8]] = [:]

    init(of bytes: [UInt8], limits: ArchiveLimits = .init(), chunkByteCount: Int = 64 << 10) throws {
        let file = try TemporaryArchive(bytes)
        try self.init(path: file.path, limits: limits, chunkByteCount: chunkByteCount)
    }

    init(path: String, limits: ArchiveLimits = .init(), chunkByteCount: Int = 64 << 10) throws {
        let reader = try ArchiveReader(path: path, formats: .all, limits: limits)
        while let entry = try reader.nextEntry() {
            entries.append(entry)
            if entry.kind == .file { files[entry.name] = try Self.rest(of: reader, chunkByteCount: chunkByteCount) }
        }
    }

    /// The error that reading `bytes` completely throws, or nil.
    static func error(of bytes: [UInt8], limits: ArchiveLimits = .init()) throws -> ArchiveError? {
        do {
            _ = try ExtractedFiles(of: bytes, limits: limits)
            return nil
        } catch let error as ArchiveError {
            return error
        }
    }

    private static func rest(of reader: ArchiveReader, chunkByteCount: Int) throws -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkByteCount)
        while case let count = try chunk.withUnsafeMutableBytes(reader.read(into:)), count > 0 {
            contents += chunk.prefix(count)
        }
        return contents
    }
}
