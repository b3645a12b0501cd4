extension BundleManifest {
    /// What holds for URLs that no bundle covers: nothing but the app's own rules. Version 0, no origins.
    package static let unbundled = BundleManifest(
        parsed: .unbundled,
        version: BundleVersion("0")!,
        origins: [],
        entry: defaultEntry,
        fallback: nil,
        offlinePage: nil,
        headers: [],
        mediaTypes: [:],
        forwardedFields: [],
        ignoredParameters: [],
        feed: nil,
        channel: defaultChannel
    )
}
