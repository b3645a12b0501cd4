import BundleStore
import BundleUpdate
import Foundation

/// The archives, content lists and patches of a bundle in a feed's folder, as far as their names say that publishing has
/// put them there. Other files are left alone.
struct ListedArchives {
    /// What publishing puts behind a version in the names of archives and content lists.
    private static let suffixes = archiveSuffixes + [ReleaseFiles.listSuffix]
    private static let archiveSuffixes = [".zip", ".tar", ".tar.gz", ".tar.xz", ".tar.zst", ".archive"]

    private let name: BundleName
    private let folder: String

    init(of name: BundleName, in folder: String) {
        self.name = name
        self.folder = folder
    }

    /// The names of those that are there.
    var present: Set<String> {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(files.filter(isOfRelease))
    }

    /// Removes files that are there.
    ///
    /// - Returns: The names of those that were removed, sorted.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when one can't be removed.
    func remove(_ files: Set<String>) throws(BundleError) -> [String] {
        try files.intersection(present).sorted().map { (file) throws(BundleError) -> String in
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
            return file
        }
    }

    /// The archive of an entry; nil when publishing hasn't put it there, or it is gone.
    func path(of entry: FeedEntry) -> String? {
        let file = Self.fileName(of: entry.source)
        let path = "\(folder)/\(file)"
        return isOfRelease(file) && FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// Whether a file is called `NAME-VERSION` and a suffix, or `NAME-VERSION.from-VERSION.patch`.
    private func isOfRelease(_ file: String) -> Bool {
        guard file.hasPrefix("\(name)-") else { return false }
        let rest = file.dropFirst(name.string.count + 1)
        if rest.hasSuffix(ReleaseFiles.patchSuffix), let infix = rest.range(of: ReleaseFiles.patchInfix) {
            let base = rest[infix.upperBound...].dropLast(ReleaseFiles.patchSuffix.count)
            return BundleVersion(String(rest[..<infix.lowerBound])) != nil && BundleVersion(String(base)) != nil
        }
        return Self.suffixes.contains { suffix in
            rest.hasSuffix(suffix) && BundleVersion(String(rest.dropLast(suffix.count))) != nil
        }
    }

    /// The release whose archive publishing calls so; nil for another file.
    static func release(ofArchive file: String) -> (name: BundleName, version: BundleVersion)? {
        guard let suffix = archiveSuffixes.first(where: file.hasSuffix) else { return nil }
        let release = file.dropLast(suffix.count)
        // Both may have hyphens.
        for (index, character) in zip(release.indices, release) where character == "-" {
            guard let version = BundleVersion(String(release[release.index(after: index)...])),
                let name = BundleName(String(release[..<index]))
            else { continue }
            return (name, version)
        }
        return nil
    }

    /// The last parts of the entries' URL references, decoded; wherever the files are, files so called are spared.
    static func fileNames(of entries: [FeedEntry]) -> Set<String> {
        let sources = entries.flatMap { entry in
            [entry.source, entry.contents?.list?.location].compactMap(\.self) + entry.patches.map(\.file.location)
        }
        return Set(sources.map(fileName(of:)))
    }

    /// The last part of a URL reference, decoded.
    static func fileName(of source: String) -> String {
        let path = source.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        return PercentEncoding.decode(last.utf8) ?? last
    }
}
