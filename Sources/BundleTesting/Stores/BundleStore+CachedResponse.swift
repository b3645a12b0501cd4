import BundleStore

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
