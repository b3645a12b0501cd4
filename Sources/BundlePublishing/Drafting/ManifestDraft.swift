import BundleStore

/// A manifest that is about to be written.
package struct ManifestDraft: Equatable {
    /// The version of a folder that doesn't say one.
    package static let defaultVersion = BundleVersion("1.0.0")

    package var name: BundleName
    package var version: BundleVersion
    package var origins: [OriginMapping]
    /// The page of the root; nil for the default one.
    package var entry: String?
    /// The page of the routes that only its script knows.
    package var fallback: String?
    package var routes: [String]

    package init(
        name: BundleName,
        version: BundleVersion,
        origins: [OriginMapping] = [],
        entry: String? = nil,
        fallback: String? = nil,
        routes: [String] = []
    ) {
        (self.name, self.version, self.origins) = (name, version, origins)
        (self.entry, self.fallback, self.routes) = (entry, fallback, routes)
    }

    /// The manifest's text, with each key on a line of its own.
    ///
    /// - Throws: `BundleError` with code `invalidManifest` when a manifest may not be so.
    package func encoded() throws(BundleError) -> [UInt8] {
        var members = [
            JSONObject.Member("name", .string(name.string)), JSONObject.Member("version", .string(version.string)),
            JSONObject.Member("origins", .array(origins.map(Self.encoded))),
        ]
        if let entry, entry != BundleManifest.defaultEntry.string {
            members.append(JSONObject.Member("entry", .string(entry)))
        }
        if let fallback {
            let object = JSONObject([
                JSONObject.Member("file", .string(fallback)),
                JSONObject.Member("routes", .array(routes.map(JSONValue.string))),
            ])
            members.append(JSONObject.Member("fallback", .object(object)))
        }
        let bytes = JSONWriter.bytes(of: .object(JSONObject(members)), .lines)
        _ = try BundleManifest.parse(bytes)
        return bytes
    }

    private static func encoded(_ mapping: OriginMapping) -> JSONValue {
        .object(
            JSONObject([
                JSONObject.Member("url", .string(mapping.origin.description)),
                JSONObject.Member("path", .string(mapping.path)),
            ])
        )
    }
}
