import BundleStore

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
