/// What a person can do about damage. What has just been tried isn't advised again.
struct Remedy: Hashable, Sendable {
    /// What to do.
    let advice: String
    /// What is left to do when repairing hasn't helped.
    let adviceAfterRepair: String

    /// For what any sound copy of the bytes mends.
    static let repair = Remedy(
        advice: "repair it with “bundlectl verify --repair”, or reinstall the bundle",
        adviceAfterRepair: "no place that was tried has the right bytes: " + afterRepair
    )

    /// For what takes the release's own archive.
    static let reinstallation = Remedy(
        advice: "repair it with “bundlectl verify --repair”, if need be with --from ARCHIVE, or reinstall it",
        adviceAfterRepair: "no place that was tried has this release: " + afterRepair
    )

    /// For the row of a bundle, which its releases tell.
    static let bundleRow = Remedy(
        advice: "repair it with “bundlectl verify --repair”",
        adviceAfterRepair: "none of its releases can be read: install one of them again, or remove the bundle"
    )

    /// For what is in the catalog alone, and can be recreated or dropped.
    static let catalog = Remedy(
        advice: "repair it with “bundlectl verify --repair”",
        adviceAfterRepair: "another program changes the catalog: end that, and repair it again"
    )

    private static let afterRepair = "install its archive again, or name it with --from; or remove the version"
}
