import BundleStore

extension ResponseSource {
    /// Creates the source of a response of a release, or of the active one of the bundle that covers the URL; of no release
    /// where no bundle covers it.
    package init(_ layer: Layer, _ release: Release) {
        self.init(layer, release.isUnbundled ? nil : release.releaseName)
    }
}
