import BundleNetwork
import BundleServing
import BundleStore
import BundleUsage
import Foundation

/// What the dashboard shows: one document, however much the store has. A value type.
///
/// Texts of bundles, feeds and pages are in it as they are: the page shows them as text alone. Dates are seconds since 1970.
struct DashboardState: Encodable {
    /// How much of each list is told.
    static let (bundleCount, versionCount, eventCount, missCount) = (200, 50, 50, 10)
    /// The longest text that says why something has failed, in characters.
    static let textLength = 500
    /// How far the numbers of requests reach back, in seconds.
    static let usageInterval: TimeInterval = 86_400

    let server: DashboardServer
    /// By name; ``DashboardServer/bundleCount`` says how many there are.
    let bundles: [DashboardBundle]
    /// What the bundles were used for in the last day. Nil when no statistics are counted, or they can't be read.
    let usage: UsageReport?
    /// Nil when it can't be read.
    let storage: DashboardStorage?
    /// The latest first.
    let events: [UpdateEvent]
    /// What was seen of them since the server's start.
    let origins: [OriginState]
}

/// The server itself.
struct DashboardServer: Encodable {
    let version: String
    let startedAt: Date
    /// How often bundles are updated, in seconds; nil when they aren't.
    let checkInterval: Double?
    /// What keeps the server from serving as it should; nil when nothing does.
    let problem: String?
    let bundleCount: Int
}

/// How much room the store's parts take, in bytes.
struct DashboardStorage: Encodable {
    struct Part: Encodable {
        let kind: String
        let byteCount: Int64
    }

    let parts: [Part]
    /// Nil for none.
    let quota: Int64?

    init(_ report: StorageReport) {
        parts = report.parts.map(Part.init)
        quota = report.quota
    }
}

/// A bundle on the dashboard, with its versions and what can be done to it.
struct DashboardBundle: Encodable {
    /// A version that becomes active later.
    struct Pending: Encodable {
        let version: String
        let mode: String
    }

    let name: String
    /// The version that is served; nil when there is none.
    let serving: String?
    let active: String?
    /// What isn't as it should be, as on the overview; nil when nothing is.
    let trouble: String?
    /// Whether the active version has yet to be confirmed.
    let isOnProbation: Bool
    /// SHA-256 of the root by which the served version is vouched for; nil when nobody vouches for it.
    let signedBy: String?
    /// Where it opens; nil when it has no address.
    let address: String?
    /// Tells icons from each other; nil when nothing is served.
    let iconID: String?
    /// Without what may be secret.
    let feed: String?
    /// Why it can't be checked and updated here; nil when it can.
    let updateObstacle: String?
    let isOnHold: Bool
    /// The version that updates must exceed; nil when that is the active one.
    let held: String?
    let pending: Pending?
    /// A higher version that the last check has chosen; see ``PageState/available``.
    let available: String?
    let checkedAt: Date?
    let failure: String?
    /// The version that a rollback leads to; nil when there is none.
    let rollback: String?
    /// The highest first.
    let versions: [DashboardVersion]
    let versionCount: Int
    /// The check or the update that is under way.
    let job: DashboardJob?
    /// What the last one here has come to.
    let outcome: DashboardOutcome?
}

/// A version of a bundle on the dashboard.
struct DashboardVersion: Encodable {
    private let release: ReleaseReport
    private let isSeed: Bool
    /// Whether it is lower than the active one.
    private let isLower: Bool

    private enum CodingKeys: CodingKey {
        case isSeed, isLower
    }

    init(_ release: Release, of bundle: InstalledBundle) {
        self.release = ReleaseReport(release, of: bundle)
        isSeed = bundle.isSeed(release.version)
        isLower = bundle.activeVersion.map { release.version < $0 } ?? false
    }

    func encode(to encoder: any Encoder) throws {
        try release.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isSeed, forKey: .isSeed)
        try container.encode(isLower, forKey: .isLower)
    }
}

extension DashboardBundle {
    /// - Parameters:
    ///   - state: What is remembered of its updates.
    ///   - choice: The choice of the last check of its feed.
    ///   - endpoint: The endpoint's own URL.
    ///   - obstacle: Why no bundle can be updated here; nil when they can.
    ///   - job: What is under way, and what the last job has come to.
    init(
        _ bundle: InstalledBundle,
        _ state: UpdateState?,
        choice: UpdateEvent?,
        _ addresses: BundleAddresses,
        at endpoint: String,
        obstacle: String?,
        job: (DashboardJob?, DashboardOutcome?)
    ) {
        let serving = bundle.serving
        let feed = state?.chosenFeed?.url ?? bundle.current?.manifest.feed
        let page = PageState(bundle, state, choice: choice)
        let releases = (bundle.releases + bundle.damaged).sorted { $1.version < $0.version }
        self.init(
            name: bundle.name.string,
            serving: serving?.version.string,
            active: bundle.activeVersion?.string,
            trouble: bundle.isDegraded || bundle.isWithdrawn || serving == nil ? OverviewEntry.state(of: bundle) : nil,
            isOnProbation: bundle.probationTerms != nil,
            signedBy: serving.flatMap(bundle.signature)?.root.hex,
            address: serving == nil ? nil : addresses.url(of: bundle.name, at: endpoint),
            iconID: (serving?.contentDigest.hex.prefix(16)).map(String.init),
            feed: feed.map(URL.reported),
            updateObstacle: obstacle ?? (feed == nil ? "it has no feed" : nil),
            isOnHold: state?.isOnHold ?? false,
            held: state?.heldVersion?.string,
            pending: bundle.lifecycle.pending.map { Pending(version: $0.version.string, mode: $0.mode.rawValue) },
            available: page.available?.string,
            checkedAt: state?.checkedAt,
            failure: state?.lastFailure.map { String($0.prefix(DashboardState.textLength)) },
            rollback: bundle.previous?.version.string,
            versions: releases.prefix(DashboardState.versionCount).map { DashboardVersion($0, of: bundle) },
            versionCount: releases.count,
            job: job.0,
            outcome: job.1
        )
    }
}
