import Foundation

/// When a release became active, according to its row. If the row of its bundle is lost, the latest activation counts.
struct Activation: Comparable {
    /// More than any store reaches. A higher number is damage and must not be exceeded.
    static let maximumNumber: Int64 = 1 << 48

    let number: Int64
    /// Whether the row is intact. Of two with the same number, an intact one is the later.
    let isSound: Bool
    /// In seconds since 1970.
    let time: Double
    let release: Int64
    let heldVersion: BundleVersion?

    static func < (left: Activation, right: Activation) -> Bool {
        (left.number, left.isSound ? 1 : 0, left.time, left.release)
            < (right.number, right.isSound ? 1 : 0, right.time, right.release)
    }
}

extension Activation {
    /// Nil for a release that was never activated.
    init?(_ release: ReleaseRecord) {
        guard let number = release.activationNumber else { return nil }
        self.init(
            number: min(max(number, 0), Self.maximumNumber),
            isSound: true,
            time: release.activatedAt?.timeIntervalSince1970 ?? 0,
            release: release.id,
            heldVersion: release.heldVersion
        )
    }

    /// Also nil when its number is invalid.
    init?(_ row: DamagedReleaseRow) {
        guard let number = row.activationNumber else { return nil }
        self.init(number: number, isSound: false, time: 0, release: row.id, heldVersion: row.heldVersion)
    }
}
