/// What an operator can do about damage. A remedy that was just tried isn't advised again.
struct Remedy: Hashable, Sendable {
    /// What to do.
    let advice: String
    /// What remains to do when a repair hasn't helped.
    let adviceAfterRepair: String

    /// For damage that any intact copy of the bytes repairs.
    static let repair = Remedy(
        advice: "repair it with “bundlectl verify --repair”, or reinstall the bundle",
        adviceAfterRepair: "no place that was tried has the right bytes: " + afterRepair
    )

    /// For damage that only the release's own archive repairs.
    static let reinstallation = Remedy(
        advice: "repair it with “bundlectl verify --repair”, if need be with --from ARCHIVE, or reinstall it",
        adviceAfterRepair: "no place that was tried has this release: " + afterRepair
    )

    /// For a bundle's row, which can be restored from its releases.
    static let bundleRow = Remedy(
        advice: "repair it with “bundlectl verify --repair”",
        adviceAfterRepair: "none of its releases can be read: install one of them again, or remove the bundle"
    )

    /// For data that only the catalog holds, and that can be recreated or dropped.
    static let catalog = Remedy(
        advice: "repair it with “bundlectl verify --repair”",
        adviceAfterRepair: "another program changes the catalog: end that, and repair it again"
    )

    private static let afterRepair = "install its archive again, or name it with --from; or remove the version"
}
