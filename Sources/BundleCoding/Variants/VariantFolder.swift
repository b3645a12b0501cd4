import BundleStore
import Foundation
import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The files of the variants, in a folder of the store. They can be recreated at any time, so nothing is synced, and a
/// file that was torn by a power failure counts as absent. Thread-safe.
struct VariantFolder: Sendable {
    /// An existing file.
    struct File: Sendable {
        let key: VariantKey
        let byteCount: Int64
        let modifiedAt: Date
    }

    let layout: StoreLayout

    /// The files, least recently used or created first.
    ///
    /// - Throws: `Errno` or Foundation's error when the folder can't be read.
    func files() throws -> [File] {
        guard try StoreFolder.exists(layout.variants) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: layout.variants.string)
            .compactMap { name in
                guard let key = VariantKey(fileName: name), let status = try? path(of: key).stat() else { return nil }
                let modifiedAt = Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec))
                return File(key: key, byteCount: Int64(status.size), modifiedAt: modifiedAt)
            }
            .sorted { $0.modifiedAt < $1.modifiedAt }
    }

    /// The coded bytes, after a check that they are the bytes that were written; nil when there is no such file. A
    /// damaged file is removed if possible.
    func read(_ key: VariantKey) -> ByteSlice? {
        let path = path(of: key)
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            // Read and hashed before it is mapped: when the disk fails, reading a mapping would end the process.
            let isIntact = try file.closeAfter {
                let bytes = try file.bytes(in: 0..<Int(file.stat().size))
                return bytes.withUnsafeBytes { VariantFormat.isIntact($0, key) }
            }
            guard isIntact else {
                remove(key)
                return nil
            }
            let content = try ByteSlice(mapping: path)
            return content[VariantFormat.headerByteCount..<content.count]
        } catch {
            return nil
        }
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` while the store is being pruned, `Errno` when that
    ///   can't be determined.
    func checkNotBusy() throws {
        _ = try StoreLock.take(layout, bundle: nil, .shared, waits: false)
    }

    /// Writes a temporary file beside the final path and renames it.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` while the store is being pruned, `Errno` when it
    ///   can't be written.
    func write(_ bytes: UnsafeRawBufferPointer, as key: VariantKey) throws {
        // Shared with other writers, so that the unfinished file doesn't count as an orphan.
        try StoreLock.take(layout, bundle: nil, .shared, waits: false).whileHeld {
            if try !StoreFolder.exists(layout.variants) { try Durable.makeFolders([layout.variants], in: layout.root) }
            let temporary = layout.temporary(.random())
            do {
                let file = try BufferedFile(creating: temporary)
                try file.append(VariantFormat.header(key, bytes))
                try file.append(bytes)
                try file.flush()
                try file.close(syncing: false)
                guard rename(temporary.string, path(of: key).string) == 0 else { throw Errno(rawValue: errno) }
            } catch {
                try? Durable.remove(temporary)
                throw error
            }
        }
    }

    /// Records the use of a file, for a later decision on which files to remove.
    func touch(_ key: VariantKey, at date: Date) {
        // A failure only makes that decision less accurate.
        try? FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path(of: key).string)
    }

    /// Removes a file if possible.
    func remove(_ key: VariantKey) { try? Durable.remove(path(of: key)) }

    private func path(of key: VariantKey) -> FilePath { layout.variants.appending(key.fileName) }
}

/// The layout of a variant's file: a header, then the coded bytes. StoreFormat.md specifies the bytes.
enum VariantFormat {
    static let headerByteCount = 128
    static let fileHeader = StoreFileHeader(
        magic: Array("OBVARNT\n".utf8),
        version: 1,
        headerByteCount: headerByteCount
    )

    /// The header of a file with these coded bytes. An empty body means that the coding makes the content no smaller.
    static func header(_ key: VariantKey, _ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var header = fileHeader.fields(fileByteCount: UInt64(headerByteCount + bytes.count))
        header.appendLittleEndian(UInt32(key.coding.rawValue))
        header.appendLittleEndian(UInt32(0))
        key.content.withUnsafeBytes { header.append(contentsOf: $0) }
        if let dictionary = key.dictionary {
            dictionary.withUnsafeBytes { header.append(contentsOf: $0) }
        } else {
            header += repeatElement(0, count: Digest.byteCount)
        }
        Digest(of: bytes).withUnsafeBytes { header.append(contentsOf: $0) }
        return header
    }

    /// Whether a complete file matches its name and has the bytes that were written.
    static func isIntact(_ file: UnsafeRawBufferPointer, _ key: VariantKey) -> Bool {
        guard file.count >= headerByteCount else { return false }
        let bytes = UnsafeRawBufferPointer(rebasing: file[headerByteCount...])
        return file.prefix(headerByteCount).elementsEqual(header(key, bytes))
    }
}
