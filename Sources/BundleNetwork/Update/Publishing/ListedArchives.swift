import BundleStore
import Foundation

/// The archives of a bundle in a feed's folder, as far as their names say that publishing has put them there. Other
/// files are left alone.
struct ListedArchives {
    /// The extensions that publishing gives to archives.
    private static let extensions = ["zip", "tar", "tar.gz", "tar.xz", "tar.zst", "archive"]

    private let name: BundleName
    private let folder: String

    init(of name: BundleName, in folder: String) {
        self.name = name
        self.folder = folder
    }

    /// Removes archives that no entry names.
    ///
    /// - Parameters:
    ///   - entries: The entries whose archives are removed; nil for all archives.
    ///   - kept: The entries whose archives stay.
    /// - Returns: The paths that were removed, sorted.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when one can't be removed.
    func remove(_ entries: [FeedEntry]?, keeping kept: [FeedEntry]) throws(BundleError) -> [String] {
        let named = Set(kept.map(Self.fileName(of:)))
        let candidates = entries.map { Set($0.map(Self.fileName(of:))) }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let unneeded = files.sorted().filter { file in
            isArchive(file) && !named.contains(file) && candidates?.contains(file) ?? true
        }
        return try unneeded.map { (file) throws(BundleError) -> String in
            let path = "\(folder)/\(file)"
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                throw BundleError(
                    .outputUnavailable,
                    "\(Printable.line(path)) can't be removed, though the feed no longer names it; remove it by hand",
                    cause: error
                )
            }
            return path
        }
    }

    /// Whether a file is called `NAME-VERSION.EXTENSION`.
    private func isArchive(_ file: String) -> Bool {
        guard file.hasPrefix("\(name)-") else { return false }
        return Self.extensions.contains { suffix in
            guard file.hasSuffix(".\(suffix)") else { return false }
            return BundleVersion(String(file.dropFirst(name.string.count + 1).dropLast(suffix.count + 1))) != nil
        }
    }

    /// The last part of an entry's URL reference, decoded; wherever the archive is, a file so called is spared.
    private static func fileName(of entry: FeedEntry) -> String {
        let path = entry.source.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        return PercentEncoding.decode(last.utf8) ?? last
    }
}
