import Foundation
import GRDB

/// The URLs that bundles claim.
enum OriginClaims {
    /// Throws when a release claims URLs of another bundle's active release. Call it in the transaction that adds or
    /// activates the release: bundles are installed concurrently, and of two that claim the same URLs only one may
    /// succeed.
    ///
    /// An origin that the bundle's own active release already has is no new claim: it either overlapped nothing when
    /// that release was installed, or the overlap was permitted then.
    ///
    /// The claims of an active release count even when its row is damaged: once repaired, it would take the URLs back
    /// from a bundle that got them meanwhile.
    ///
    /// - Parameter permitted: The bundles that it may overlap.
    /// - Throws: ``/BundleModel/BundleError`` with code `originConflict`; with code `storeDamaged` when another
    ///   bundle's claims can't be read.
    static func check(
        of release: (name: BundleName, version: BundleVersion, manifest: [UInt8]),
        permitting permitted: Set<BundleName>,
        in database: Database
    ) throws {
        let claimed = try BundleManifest.parse(stored: release.manifest).origins.map(\.origin)
        guard !claimed.isEmpty else { return }
        let active = try activeClaims(in: database)
        let known = Set(
            active.filter { $0.bundle == release.name }.flatMap { $0.manifest?.origins.map(\.origin) ?? [] }
        )
        let new = claimed.filter { !known.contains($0) }
        guard !new.isEmpty else { return }
        let others = active.filter { claim in
            claim.bundle.map { $0 != release.name && !permitted.contains($0) } ?? true
        }
        let manifests = try others.map { claim throws(BundleError) in
            guard let manifest = claim.manifest else {
                throw unreadable(claim.bundle, for: "\(release.name)@\(release.version)")
            }
            return manifest
        }
        let overlaps = manifests.flatMap { OriginOverlap.all(of: new, with: $0) }
        guard let first = overlaps.first else { return }
        throw refusal(of: "\(release.name)@\(release.version)", first, Set(overlaps.map(\.other)).sorted())
    }

    private static func refusal(of release: String, _ overlap: OriginOverlap, _ others: [BundleName]) -> BundleError {
        BundleError(
            .originConflict,
            "\(release) claims URLs of another bundle: \(overlap); nothing has changed",
            .permitOverlap(with: others)
        )
    }

    private static func unreadable(_ bundle: BundleName?, for release: String) -> BundleError {
        BundleError(
            .storeDamaged,
            "the URLs that \(bundle.map(\.string) ?? "another bundle") claims can't be read, so \(release) can't claim "
                + "any; nothing has changed; the catalog is damaged",
            .repair(.catalog)
        )
    }

    /// The claims of the active releases. A bundle whose own row is damaged claims what any of its releases that were
    /// ever active claims: a repair may find any of them to be the active one.
    private static func activeClaims(in database: Database) throws -> [ActiveClaim] {
        let rows = try InstalledRows(in: database)
        let active = Set(rows.bundles.values.compactMap(\.active))
        let intact = Set(rows.bundles.keys).subtracting(rows.damagedBundles.compactMap(\.name))
        return try Row.fetchAll(database, sql: "SELECT * FROM release ORDER BY bundle, id").compactMap { row in
            let claim = ActiveClaim(row)
            let isActive = row.value("id", as: Int64.self).map(active.contains) ?? false
            let wasActive = row.value("activationNumber", as: Int64.self) != nil
            let hasIntactBundle = claim.bundle.map(intact.contains) ?? true
            return isActive || wasActive && !hasIntactBundle ? claim : nil
        }
    }
}

/// The claims of a release according to its row, whether or not the row is damaged.
struct ActiveClaim {
    /// Nil when neither the row nor its manifest names it.
    let bundle: BundleName?
    /// Nil when it can't be read, or belongs to another bundle.
    let manifest: BundleManifest?

    init(_ row: Row) {
        let parsed = row.value("manifest", as: Data.self).flatMap { try? BundleManifest.parse(stored: Array($0)) }
        bundle = row.text("bundle").flatMap(BundleName.init) ?? parsed?.name
        manifest = parsed?.name == bundle ? parsed : nil
    }
}
