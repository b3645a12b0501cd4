import BundleInstall
import BundleStore
import Foundation

/// Goes through a folder, and notes what is packed, what is left out, and what can't be packed.
struct FolderWalk {
    /// How many problems an error tells.
    private static let maximumProblemCount = 50

    private(set) var files: [FolderContents.File] = []
    private(set) var leftOut: [String] = []
    private var names = PackedNames()
    private var problems: [String] = []
    private var hasSecrets = false
    private var hasher = Hasher()
    private let selection: FileSelection

    init(_ selection: FileSelection) {
        self.selection = selection
    }

    /// Differs after a change of the names, lengths and times of what isn't left out.
    var fingerprint: Int { hasher.finalize() }

    /// What can't be packed, all of it in one error; nil when there is nothing.
    var refusal: BundleError? {
        guard let first = problems.first else { return nil }
        let remedy: Remedy? = hasSecrets ? .leaveOutSecrets : nil
        guard problems.count > 1 else { return BundleError(.invalidArchive, first, remedy) }
        let shown = problems.prefix(Self.maximumProblemCount).enumerated().map { "(\($0 + 1)) \($1)" }
        let rest = problems.count > shown.count ? ", and \(problems.count - shown.count) more" : ""
        let problem = "\(problems.count) files can't be packed: \(shown.joined(separator: ", "))\(rest)"
        return BundleError(.invalidArchive, problem, remedy)
    }

    /// Lists a folder at any depth.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be read.
    mutating func list(_ folder: String, below parent: String?) throws(BundleError) {
        for name in try Self.names(in: folder) {
            let location = "\(folder)/\(name)"
            // Normalising takes a tenth of the time of packing many small files, and ASCII is as it is.
            let normalised = name.utf8.allSatisfy { $0 < 0x80 } ? name : name.precomposedStringWithCanonicalMapping
            let path = parent.map { "\($0)/\(normalised)" } ?? normalised
            var status = stat()
            guard lstat(location, &status) == 0 else {
                // Listing a folder replaces what isn't UTF-8, so there is no file by that name.
                let isMisread = errno == ENOENT && name.contains("\u{FFFD}")
                let problem = "can't be read; check its permissions"
                refuse(location, isMisread ? "has a name that isn't UTF-8; rename it" : problem)
                continue
            }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            let verdict = selection.verdict(on: path, isFolder: isFolder)
            // The patterns of the folder are left out, and a change of them counts.
            if verdict != .leftOut || path == FileSelection.fileName { note(path, status) }
            switch verdict {
            case .leftOut:
                if path != FileSelection.fileName { leftOut.append(isFolder ? "\(path)/" : path) }
            case .refused:
                hasSecrets = true
                refuse(location, "looks like a secret")
            case .packed:
                guard let path = self.path(path, at: location) else { continue }
                try add(path, at: location, status)
            }
        }
    }

    private mutating func add(_ path: BundlePath, at location: String, _ status: stat) throws(BundleError) {
        switch status.st_mode & S_IFMT {
        case S_IFDIR: try list(location, below: path.string)
        case S_IFREG:
            files.append(FolderContents.File(path, at: location, byteCount: Int64(status.st_size)))
        case S_IFLNK: refuse(location, "is a link; put the file itself there")
        default: refuse(location, "is not a file; remove it")
        }
    }

    /// Nil for a path that can't be packed.
    private mutating func path(_ name: String, at location: String) -> BundlePath? {
        do {
            let path = try BundlePath(name)
            try PortableName.check(path)
            try names.add(path, at: location)
            return path
        } catch let conflict as BundleError {
            problems.append(conflict.problem)
        } catch {
            problems.append("\(Printable.line(location)): \(error); rename it")
        }
        return nil
    }

    private mutating func note(_ path: String, _ status: stat) {
        hasher.combine(path)
        hasher.combine(status.st_mode)
        // The length and the time of a folder change with what is left out of it, too.
        guard status.st_mode & S_IFMT != S_IFDIR else { return }
        hasher.combine(status.st_size)
        hasher.combine(status.st_ino)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        hasher.combine(time.tv_sec)
        hasher.combine(time.tv_nsec)
    }

    private mutating func refuse(_ location: String, _ problem: String) {
        problems.append("\(Printable.line(location)) \(problem)")
    }

    /// In a fixed order, because a conflict names the first one first.
    private static func names(in folder: String) throws(BundleError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw BundleError(
                .inputUnavailable,
                "\(Printable.line(folder)) is not a folder that can be read; name the folder of a bundle",
                cause: error
            )
        }
    }
}

/// The names of files and folders to pack. No two may conflict: a conflict that is refused here would be refused on
/// installation.
struct PackedNames {
    private var names: [String: (path: BundlePath, location: String)] = [:]

    /// Adds a file or a folder.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when another has the same name, or one that
    ///   differs only in case.
    mutating func add(_ path: BundlePath, at location: String) throws(BundleError) {
        guard let other = names.updateValue((path, location), forKey: CaseFolding.fold(path.string)) else { return }
        let problem =
            other.path == path ? "are one name after normalisation" : "differ only in upper and lower case"
        throw BundleError(
            .invalidArchive,
            "\(Printable.line(other.location)) and \(Printable.line(location)) \(problem); rename one of them"
        )
    }
}
