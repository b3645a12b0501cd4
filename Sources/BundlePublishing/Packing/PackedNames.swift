import BundleStore

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
