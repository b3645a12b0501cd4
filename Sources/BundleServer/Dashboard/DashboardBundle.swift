import BundleNetwork
import BundleServing
import BundleStore
import Foundation

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
    let version: String
    /// `active`, `retained` or `installed`.
    let state: String
    let isPinned, isDamaged, isSeed: Bool
    /// Whether it is lower than the active one.
    let isLower: Bool
    /// Why nothing of it is used; nil when it may be.
    let withdrawn: String?
    let byteCount: Int64
    let installedAt: Date

    init(_ release: Release, of bundle: InstalledBundle) {
        (version, state) = (release.version.string, release.state.rawValue)
        (isPinned, isDamaged) = (release.isPinned, !release.isReadable)
        isSeed = bundle.isSeed(release.version)
        isLower = bundle.activeVersion.map { release.version < $0 } ?? false
        withdrawn = bundle.withdrawal(of: release.version)?.reason.rawValue
        (byteCount, installedAt) = (release.byteCount, release.installedAt)
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
