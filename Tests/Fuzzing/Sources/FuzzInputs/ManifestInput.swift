import BundleStore

/// An accepted manifest must be accepted again, as the same, after it was written.
enum ManifestInput {
    static func isTaken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let bytes = Array(bytes)
        guard let parsed = try? BundleManifest.parse(bytes) else { return false }
        let again = try? BundleManifest.parse(parsed.manifest.encoded())
        precondition(again?.manifest == parsed.manifest, "the manifest is another one after it was written")
        return true
    }
}
