import BundleArchive
import BundleStore

/// What an archive may contain, and under which names.
enum EntryRules {
    /// The action for an entry; nil for one without meaning, such as the folder `./`.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` for an entry that can't be installed. It names
    ///   the entry but not the archive.
    static func action(for entry: ArchiveEntry) throws(BundleError) -> ContentBatch.Action? {
        let path = try path(of: entry)
        switch entry.kind {
        case .directory:
            return path.flatMap { MacOSMetadata.includes($0) ? nil : .addFolder($0) }
        case .file:
            guard let path else { throw refusal(entry, "has no name") }
            return MacOSMetadata.includes(path) ? .leaveOut : .addFile(path)
        case .symbolicLink(let target):
            guard let path else { throw refusal(entry, "has no name") }
            return .addLink(path, target: target, .symbolic)
        case .hardLink(let target):
            guard let path else { throw refusal(entry, "has no name") }
            return .addLink(path, target: withoutLeadingDots(target), .hard)
        case .special(let type):
            throw refusal(entry, "is a \(type), not a file; pack the archive without it")
        }
    }

    /// Nil for the folder `./`, which stands for the archive's root.
    static func path(of entry: ArchiveEntry) throws(BundleError) -> BundlePath? {
        let name = withoutLeadingDots(entry.name)
        if entry.kind == .directory, name.isEmpty || name == "." { return nil }
        do {
            let path = try BundlePath(name)
            try PortableName.check(path)
            return path
        } catch {
            throw BundleError(
                .invalidArchive,
                "entry \(error); pack the archive anew from a clean folder",
                cause: error
            )
        }
    }

    /// tar prefixes every name with `./` when it is given the folder `.`; some programs write `.//`.
    private static func withoutLeadingDots(_ name: String) -> String {
        var rest = name.utf8[...]
        guard rest.starts(with: "./".utf8) else { return name }
        while rest.starts(with: "./".utf8) {
            rest = rest.dropFirst(2).drop { $0 == UInt8(ascii: "/") }
        }
        return String(Substring(rest))
    }

    private static func refusal(_ entry: ArchiveEntry, _ problem: String) -> BundleError {
        BundleError(
            .invalidArchive,
            "entry “\(Printable.text(entry.name))” \(problem)"
        )
    }
}

/// macOS metadata, which doesn't belong in a bundle: Finder's `.DS_Store` in every folder that it showed, and
/// `__MACOSX` at the root of its zips, which holds resource forks and extended attributes.
enum MacOSMetadata {
    /// Whether a file or folder is left out.
    static func includes(_ path: BundlePath) -> Bool {
        let bytes = path.string.utf8
        // Called for every file of an archive, so the path isn't split into components.
        return bytes.starts(with: "__MACOSX/".utf8) || bytes.elementsEqual("__MACOSX".utf8)
            || bytes.last == UInt8(ascii: "e") && path.lastComponent == ".DS_Store"
    }

    /// The warnings to show; none when no file was left out.
    ///
    /// - Parameter source: The archive or folder that contains the files.
    static func warnings(leftOut count: Int, of source: String) -> [String] {
        guard count > 0 else { return [] }
        let files = count == 1 ? "1 file that macOS added was" : "\(count) files that macOS added were"
        return ["\(Printable.line(source)): \(files) left out"]
    }
}
