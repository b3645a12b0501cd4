import BundleArchive
import BundleStore

/// Finds the manifest in an archive by the names of its entries, without installing anything.
struct ManifestSearch {
    private let reader: ArchiveReader
    /// The manifests one folder deep, by their folders: two of them are none.
    private var nested: [String: [UInt8]] = [:]
    private var topNames: Set<String> = []

    init(_ reader: ArchiveReader) {
        self.reader = reader
    }

    /// The manifest's bytes, at most one more than a manifest may have; nil when there is none.
    consuming func run() throws(ArchiveError) -> [UInt8]? {
        while let entry = try reader.nextEntry() {
            guard let path = try? EntryRules.path(of: entry), !MacOSMetadata.includes(path) else { continue }
            let components = path.components
            // Two top names say that there is no single folder; more needn't be kept.
            if topNames.count < 2 { topNames.insert(String(components[0])) }
            guard entry.kind == .file, path.lastComponent == BundleManifest.fileName, components.count <= 2 else {
                continue
            }
            let content = try content(of: entry)
            if components.count == 1 { return content }
            if nested.count < 2 { nested[String(components[0])] = content }
        }
        return topNames.count == 1 && nested.count == 1 ? nested.first?.value : nil
    }

    private func content(of entry: ArchiveEntry) throws(ArchiveError) -> [UInt8] {
        let limit = Int64(BundleManifest.maximumByteCount + 1)
        var content = [UInt8](repeating: 0, count: Int(min(entry.byteCount, limit)))
        var count = 0
        while count < content.count {
            let read = try read(into: &content, from: count)
            guard read > 0 else { break }
            count += read
        }
        return Array(content.prefix(count))
    }

    private func read(into content: inout [UInt8], from start: Int) throws(ArchiveError) -> Int {
        var (result, failure): (Int, ArchiveError?) = (0, nil)
        content.withUnsafeMutableBytes { bytes in
            do throws(ArchiveError) {
                result = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return result
    }
}
