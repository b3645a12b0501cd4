import BundleInstall
import BundleStore

extension BundleStore {
    /// Installs a release without an archive: relative path → text.
    ///
    /// - Parameters:
    ///   - permitsOverlap: Whether its origins may overlap those of the other bundles.
    ///   - mediaType: The media type for a path and its content.
    /// - Throws: ``/BundleModel/BundleError`` as ``/BundleStore/ReleaseIngest`` and ``/BundleStore/SealedRelease`` do, and
    ///   ``/BundleModel/BundlePathError`` for an invalid path.
    @discardableResult
    package func install(
        _ manifest: BundleManifest,
        files: [String: String],
        activating: Bool = true,
        replacing: Bool = false,
        permitsOverlap: Bool = true,
        mediaType: (BundlePath, ByteSlice) -> String = { _, _ in "application/octet-stream" }
    ) throws -> InstallOutcome {
        let ingest = try beginIngest()
        for (path, text) in files {
            var text = text
            try text.withUTF8 { try ingest.append(UnsafeRawBufferPointer($0)) }
            try ingest.endFile(BundlePath(path))
        }
        return try ingest.seal().commit(
            manifest,
            mediaType: mediaType,
            marking: .hashedNames,
            activating: activating,
            replacing: replacing,
            permittingOverlapWith: permitsOverlap ? Set(snapshot.bundles.keys) : [],
            waits: false
        ).outcome
    }
}

extension BundleStore {
    /// Stores a response under its URL, and waits until it is written.
    ///
    /// - Parameter digest: Distinguishes variants.
    /// - Returns: Whether it was kept.
    /// - Throws: ``/BundleModel/BundleError`` as ``/BundleStore/CachedBodyWriter`` does.
    @discardableResult
    package func cache(
        _ body: [UInt8],
        url: String = "https://m.example.com/shop/api",
        of bundle: BundleName,
        _ version: BundleVersion,
        metadata: [UInt8] = [1, 2],
        digest: Int64 = 0
    ) throws -> Bool {
        let writer = beginCachedBody()
        try writer.append(body)
        let body = try writer.finish()
        let none = CachedPartList([], of: Int64(body.content.count))
        let response = NewCachedResponse(
            url: url,
            key: CachedKey(url, bundle: bundle, version: version),
            bundle: bundle,
            version: version,
            selection: CachedSelection(selectors: "x", digest: digest),
            metadata: metadata,
            parts: CachedPartList([none.part(at: 0, body)], of: none.completeLength),
            bodies: [body],
            digests: { _ in [digest] }
        )
        guard let row = keep(response) else { return false }
        awaitCache()
        if case .written = row.state { return true }
        return false
    }
}

extension BundleManifest {
    /// A manifest made of JSON, with this name and version: `members` has the other members, such as
    /// `"origins": [{"url": "https://m.example.com/shop/", "path": "/"}]`.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest` when it is wrong.
    package static func sample(
        _ name: String = "shop",
        _ version: String = "1.0.0",
        _ members: String = #""origins": [{"url": "https://m.example.com/shop/", "path": "/"}]"#
    ) throws -> BundleManifest {
        let json = #"{"name": "\#(name)", "version": "\#(version)"\#(members.isEmpty ? "" : ", ")\#(members)}"#
        return try parse(Array(json.utf8)).manifest
    }

    /// One of `shop`, or another bundle, with these origins.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest` when one of them is wrong.
    package static func sample(
        _ name: String = "shop",
        _ version: String = "1",
        origins: [String]
    ) throws -> BundleManifest {
        let list = origins.map { #"{"url": "\#($0)", "path": "/"}"# }.joined(separator: ", ")
        return try sample(name, version, #""origins": [\#(list)]"#)
    }
}
