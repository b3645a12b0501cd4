/// A manifest, and warnings for its author that don't stop the installation.
public struct ParsedManifest: Equatable, Sendable {
    /// The manifest.
    public let manifest: BundleManifest
    /// One line for each unknown key, for each field that a bundle may not set, and for each network rule that can never
    /// apply, with its name and place.
    public let warnings: [String]
}

extension BundleManifest {
    /// Parses `bundle.json`.
    ///
    /// - Parameter json: The file's bytes: JSON in UTF-8, at most 1 MiB.
    /// - Throws: ``BundleError`` with code `invalidManifest` when the text is too long, isn't JSON or has a key twice;
    ///   when `name`, `version` or `origins` is missing; or when a key's value is invalid, or has more patterns,
    ///   extensions or URLs than allowed. The message names the key and its place. Whether the named files exist in the
    ///   bundle is not checked here.
    public static func parse(_ json: [UInt8]) throws(BundleError) -> ParsedManifest {
        try parse(json, named: fileName, limiting: true)
    }

    /// The same of a file with another name, by which messages call it.
    package static func parse(_ json: [UInt8], named name: String) throws(BundleError) -> ParsedManifest {
        try parse(json, named: name, limiting: true)
    }

    /// Parses a manifest from the store, which may have been installed before there were limits.
    package static func parse(stored json: [UInt8]) throws(BundleError) -> BundleManifest {
        try parse(json, named: fileName, limiting: false).manifest
    }

    private static func parse(
        _ json: [UInt8],
        named name: String,
        limiting: Bool
    ) throws(BundleError) -> ParsedManifest {
        let root = try JSONElement(
            parsing: json,
            named: name,
            maximumByteCount: maximumByteCount,
            refusedAs: .invalidManifest
        )
        var parser = BundleManifestParser(isLimiting: limiting)
        let manifest = try parser.manifest(root)
        return ParsedManifest(manifest: manifest, warnings: parser.warnings)
    }
}
