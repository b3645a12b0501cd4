import Foundation
import GRDB

extension Catalog {
    /// Throws when a release claims URLs of another bundle's active release. To be called in the transaction that enters or
    /// activates it: bundles are installed side by side, and of two that claim the same only one may get through.
    ///
    /// An origin that the bundle's own active release has already is no new claim: either it met nothing when that release
    /// was installed, or the overlap was permitted then.
    ///
    /// - Parameter permitted: The bundles that it may overlap.
    /// - Throws: ``BundleError`` with code `originConflict`.
    static func checkClaims(
        of release: (name: BundleName, version: BundleVersion, manifest: [UInt8]),
        permitting permitted: Set<BundleName>,
        in database: Database
    ) throws {
        let claimed = try BundleManifest.parse(stored: release.manifest).origins.map(\.origin)
        guard !claimed.isEmpty else { return }
        let active = try activeManifests(in: database)
        let known = Set(active.first { $0.name == release.name }?.origins.map(\.origin) ?? [])
        let new = claimed.filter { !known.contains($0) }
        guard !new.isEmpty else { return }
        let overlaps =
            active
            .filter { $0.name != release.name && !permitted.contains($0.name) }
            .flatMap { OriginOverlap.all(of: new, with: $0) }
        guard let first = overlaps.first else { return }
        throw refusal(of: "\(release.name)@\(release.version)", first, Set(overlaps.map(\.other)).sorted())
    }

    private static func refusal(of release: String, _ overlap: OriginOverlap, _ others: [BundleName]) -> BundleError {
        let options = others.map { "--allow-overlap \($0)" }.joined(separator: " ")
        return BundleError(
            .originConflict,
            "\(release) claims URLs of another bundle: \(overlap); nothing has changed; correct the origins, or, if they are "
                + "meant to share them, permit it by hand with \(options)"
        )
    }

    /// Those of the active releases, by name. What can't be parsed claims nothing: its release doesn't answer either.
    private static func activeManifests(in database: Database) throws -> [BundleManifest] {
        try InstalledRows(in: database).releases.filter(\.isActive).compactMap {
            try? BundleManifest.parse(stored: $0.manifest)
        }
    }
}
