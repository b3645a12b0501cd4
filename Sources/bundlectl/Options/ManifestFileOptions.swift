import ArgumentParser
import BundleInstall
import BundleStore

/// A manifest that isn't in the archive or the folder. For all verbs that make a release of one.
struct ManifestFileOptions: ParsableArguments {
    @Option(
        name: .customLong("manifest"),
        help: ArgumentHelp(
            "The manifest, in place of the bundle.json in the archive or the folder, if there is one.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var path: String?

    func validate() throws {
        if path?.isEmpty == true {
            throw ValidationError("--manifest is empty; name a file, such as --manifest bundle.json")
        }
    }

    /// Reads the file; nil without the option.
    ///
    /// - Throws: `BundleError` with code `inputUnavailable` when it can't be read.
    func read() throws(BundleError) -> ManifestFile? {
        guard let path else { return nil }
        return try ManifestFile(path)
    }
}
