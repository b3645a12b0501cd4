extension Release {
    /// What stands for a release where no bundle covers a URL: it is in no store, and has no files and no origins. What an
    /// app loads beside its bundles is cached under it.
    package static let unbundled = Release(withoutFiles: .unbundled)

    /// Its bundle and version.
    package var releaseName: ReleaseName { ReleaseName(name, version) }

    /// Whether it is ``unbundled``.
    package var isUnbundled: Bool { name == .unbundled }
}
