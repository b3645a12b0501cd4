import BundleStore

/// What macOS puts beside one's files and nobody wants in a bundle: Finder's `.DS_Store` in every folder that it showed,
/// and `__MACOSX` at the root of its zips, which holds resource forks and extended attributes.
enum MacOSMetadata {
    /// Whether a file or folder is left out.
    static func includes(_ path: BundlePath) -> Bool {
        let bytes = path.string.utf8
        // Asked for every file of an archive, so the response is found without taking the path apart.
        return bytes.starts(with: "__MACOSX/".utf8) || bytes.elementsEqual("__MACOSX".utf8)
            || bytes.last == UInt8(ascii: "e") && path.lastComponent == ".DS_Store"
    }

    /// What a person is told of it: nothing when nothing was left out.
    ///
    /// - Parameter source: The archive or folder that the files are in.
    static func warnings(leftOut count: Int, of source: String) -> [String] {
        guard count > 0 else { return [] }
        let files = count == 1 ? "1 file that macOS added was" : "\(count) files that macOS added were"
        return ["\(Printable.line(source)): \(files) left out"]
    }
}
