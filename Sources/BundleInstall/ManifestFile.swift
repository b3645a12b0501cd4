import BundleStore

/// A manifest in a file of its own, which counts in place of that of an archive or a folder.
///
/// A value type; safe to share between threads.
package struct ManifestFile: Sendable {
    /// The file, as messages show it.
    package let name: String
    package let content: [UInt8]

    /// Reads a file. Its content isn't checked: a packer may set the name and the version that it lacks.
    ///
    /// - Parameter path: The file's path, absolute or from the current directory.
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be read, or isn't a regular file.
    package init(_ path: String) throws(BundleError) {
        name = Printable.line(path)
        content = try InputDocument(path, atMost: BundleManifest.maximumByteCount).bytes
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest`, naming the file.
    package func parse() throws(BundleError) -> ParsedManifest {
        try BundleManifest.parse(content, named: name)
    }
}
