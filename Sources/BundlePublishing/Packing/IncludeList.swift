import BundleStore
import Foundation

/// Which files of a folder are packed: those of a list with one path in the bundle a line, such as the misses that
/// `UsageReport` counts. A line that ends in `/` stands for everything below that folder. Empty lines, and those that
/// begin with `#`, say nothing; a `/` or `./` at the beginning makes no difference.
///
/// `bundle.json` and the files that it names are packed whether or not they are listed. A value type; safe to share between
/// threads.
public struct IncludeList: Sendable {
    /// The longest list in bytes.
    private static let maximumByteCount = 64 << 20
    /// How many lines that match nothing are reported one by one.
    private static let maximumWarningCount = 20

    private var files: Set<BundlePath> = []
    private var folders: Set<BundlePath> = []
    /// What no file can be called.
    private var unusable: [String] = []

    /// Reads a list.
    public init(_ text: String) {
        add(text)
    }

    /// Reads lists from files.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when one can't be read, `invalidArgument` when it
    ///   isn't text in UTF-8, or is longer than 64 MiB.
    public init(contentsOf paths: [String]) throws(BundleError) {
        for path in paths {
            let name = Printable.line(path)
            guard let file = FileHandle(forReadingAtPath: path),
                let data = try? file.read(upToCount: Self.maximumByteCount + 1) ?? Data()
            else {
                let problem = "the list \(name) can't be read; check its name and permissions"
                throw BundleError(.inputUnavailable, problem)
            }
            guard data.count <= Self.maximumByteCount, let text = String(data: data, encoding: .utf8) else {
                throw BundleError(.invalidArgument, "\(name) isn't a list of paths in UTF-8; give one path a line")
            }
            add(text)
        }
    }

    private mutating func add(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            var path = line.hasPrefix("./") ? line.dropFirst(2) : line
            while path.hasPrefix("/") { path = path.dropFirst() }
            let isFolder = path.hasSuffix("/")
            while path.hasSuffix("/") { path = path.dropLast() }
            guard let path = try? BundlePath(String(path)) else {
                unusable.append(String(line))
                continue
            }
            if isFolder { folders.insert(path) } else { files.insert(path) }
        }
    }

    /// Whether a file is on the list.
    func includes(_ path: BundlePath) -> Bool {
        files.contains(path) || !folders.isEmpty && Self.folders(above: path).contains { folders.contains($0) }
    }

    private static func folders(above path: BundlePath) -> [BundlePath] {
        let components = path.components
        return (1..<max(components.count, 1)).compactMap {
            try? BundlePath(components.prefix($0).joined(separator: "/"))
        }
    }

    /// What to tell about the lines that match none of the files.
    func warnings(among paths: some Collection<BundlePath>, of folder: String) -> [String] {
        let present = Set(paths)
        let presentFolders = folders.isEmpty ? [] : Set(paths.flatMap(Self.folders))
        let missing =
            files.subtracting(present).map(\.string) + folders.subtracting(presentFolders).map { "\($0.string)/" }
            + unusable
        let name = Printable.line(folder)
        let shown = missing.sorted().prefix(Self.maximumWarningCount).map {
            "\(Printable.line($0)) is on the list, and not in \(name)"
        }
        guard missing.count > shown.count else { return shown }
        return shown + ["so are \(missing.count - shown.count) more"]
    }
}
