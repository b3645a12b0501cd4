extension BundleManifest {
    /// The keys of `bundle.json`, the same as in `bundles/manifest.schema.json`.
    enum Key: String, CaseIterable {
        case name
        case version
        case origins
        case entry
        case fallback
        case offlinePage
        case headers
        case immutable
        case mediaTypes
        case forwardedFields
        case forwardedAddress
        case ignoreQuery
        case network
        case feed
        case channel
        case health

        /// The keys that a manifest must have.
        static let required: Set<Key> = [.name, .version, .origins]
        /// The key with which editors find a document's schema; it has no effect on the bundle.
        static let schemaReference = "$schema"
    }
}
