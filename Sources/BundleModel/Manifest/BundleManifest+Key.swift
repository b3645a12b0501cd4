extension BundleManifest {
    /// The keys of `bundle.json`; `bundles/manifest.schema.json` has the same.
    enum Key: String, CaseIterable {
        case name
        case version
        case origins
        case entry
        case fallback
        case offlinePage
        case headers
        case mediaTypes
        case forwardedFields
        case feed
        case channel

        /// The keys that a manifest must have.
        static let required: Set<Key> = [.name, .version, .origins]
        /// The key under which editors look for a document's schema; it says nothing about the bundle.
        static let schemaReference = "$schema"
    }
}
