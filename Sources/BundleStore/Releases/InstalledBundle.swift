import Foundation

/// A bundle and its releases in the store.
public struct InstalledBundle: Sendable {
    /// The bundle's name.
    public let name: BundleName
    /// The active release; nil when no release was activated, or the active one was removed or can't be opened.
    public let active: Release?
    /// Previously active releases, latest first.
    public let retained: [Release]
    /// Every release that can be opened: the active one, the retained ones, then those that were never activated.
    public let releases: [Release]
    /// The releases that can't be opened; none of their files can be read.
    package let damaged: [Release]
    /// Whether there is an active release that can't be opened, or that has lost all of its contents.
    public let isDegraded: Bool
    /// The active version, whether or not it can be opened; nil when no version was activated, the active one was
    /// removed, or the catalog no longer records it.
    public let activeVersion: BundleVersion?

    /// Where its releases are between installation and use.
    public let lifecycle: BundleLifecycle

    /// The damage of the active release's row, when the row can't be read.
    let damagedRow: StoreDamage?
    private let publisher: PublisherRecord?

    /// - Parameters:
    ///   - releases: The releases that can be opened, latest activated first.
    ///   - damaged: The releases that can't be opened.
    ///   - damagedRow: The damage of the active release's row, when the row can't be read.
    ///   - publisher: The publisher whose state browsers keep on the bundle's host.
    ///   - lifecycle: Where its releases are between installation and use.
    init(
        _ name: BundleName,
        _ releases: [Release],
        damaged: [Release] = [],
        damagedRow: StoreDamage? = nil,
        publisher: PublisherRecord? = nil,
        lifecycle: BundleLifecycle = BundleLifecycle()
    ) {
        self.name = name
        self.lifecycle = lifecycle
        active = releases.first { $0.state == .active }
        retained = releases.filter { $0.state == .retained }
        self.releases = (active.map { [$0] } ?? []) + retained + releases.filter { $0.state == .installed }
        (self.damaged, self.damagedRow, self.publisher) = (damaged, damagedRow, publisher)
        let damagedActive = damaged.first { $0.state == .active }
        isDegraded = active?.lacksContents ?? (damagedActive != nil || damagedRow != nil)
        activeVersion = active?.version ?? damagedActive?.version ?? damagedRow?.version
    }

    /// The release whose manifest counts: the active one, or the latest when there is none.
    package var current: Release? { active ?? damagedActive ?? releases.first }

    /// The release that is served in place of an active one that can't be read as a whole: the retained release that
    /// was activated last, and that may be used.
    package var fallbackRelease: Release? {
        isDegraded ? retained.first { !$0.lacksContents && withdrawal(of: $0.version) == nil } : nil
    }

    /// The release that is served. When neither the active release nor another can be opened, it is still the active
    /// one: none of its files can be read, but it names its origins.
    public var serving: Release? { fallbackRelease ?? active ?? damagedActive }

    /// A sentence that says what is served instead of the active release; nil while that can be opened.
    public var degradation: String? {
        guard isDegraded else { return nil }
        let lost = activeVersion.map { "\(name) \($0)" } ?? "\(name)'s active version"
        let what = active == nil ? "opened" : "read"
        return
            "\(lost) can't be \(what), \(fallbackRelease.map { "\($0.version) is served" } ?? "nothing is served in its place")"
    }

    /// The mark for browsers that keep no state of an earlier publisher on the bundle's host; nil while there has been
    /// no earlier publisher.
    package var publisherMark: String? {
        guard let publisher, let mark = publisher.mark else { return nil }
        let isSame = serving.map { publisher.publisher.isSame(as: BundlePublisher(of: $0.manifest)) } ?? true
        // The stand-in for the active release has another publisher: browsers keep no state of either for the other.
        return isSame ? mark : mark + "-"
    }

    private var damagedActive: Release? { damaged.first { $0.state == .active } }

    /// When a release was left for the next one; nil when it wasn't, or that isn't known.
    package func leavingDate(of release: Release) -> Date? {
        guard let number = release.activationNumber else { return nil }
        let later = releases.filter { ($0.activationNumber ?? 0) > number }
        return later.min { ($0.activationNumber ?? 0) < ($1.activationNumber ?? 0) }?.activatedAt
    }

    /// Whether its manifest names a feed from which it can be updated.
    public var hasFeed: Bool { current?.manifest.feed != nil }

    /// The release with exactly this version, or nil. Versions are compared as text: `1.0+a` isn't `1.0+b`.
    public func release(_ version: BundleVersion) -> Release? {
        releases.first { $0.version.string == version.string }
    }

    /// As above, for a release that can't be opened.
    package func damagedRelease(_ version: BundleVersion) -> Release? {
        damaged.first { $0.version.string == version.string }
    }
}

extension HealthTerms {
    var within: Duration { .seconds(withinSeconds) }
}

/// Where its releases are between installation and use.
extension InstalledBundle {
    /// Why nothing of the active release may be used; nil when it may.
    public var withdrawal: Withdrawal? { activeVersion.flatMap(withdrawal) }

    /// Whether nothing of the active release may be used.
    package var isWithdrawn: Bool { withdrawal != nil }

    /// SHA-256 of the root by which the active release is vouched for, 64 hexadecimal digits; nil when nobody vouches for it.
    public var signedBy: String? { active.flatMap(signature)?.root.hex }

    /// By which root a release is vouched for: the publisher's release key has signed which files it has, and that was found while the
    /// bundle's feed was trusted by this root. Nil when nobody vouches for it.
    package func signature(of release: Release) -> ReleaseSignature? {
        let signature = lifecycle.signatures[release.version.string]
        return signature?.contentDigest == release.contentDigest ? signature : nil
    }

    /// Why nothing of a version may be used; nil when it may.
    package func withdrawal(of version: BundleVersion) -> Withdrawal? { lifecycle.withdrawals[version.string] }

    /// Whether a version was shipped with an app.
    package func isSeed(_ version: BundleVersion) -> Bool { lifecycle.seeds.contains(version.string) }

    /// What the active release asks for while it is on probation; nil when it isn't.
    package var probationTerms: HealthTerms? {
        guard let probation = lifecycle.probation, let active, active.version.string == probation.version.string else {
            return nil
        }
        return active.manifest.health
    }

    /// The release to go back to without being asked: the last one that needed no confirmation or got it, or else the one
    /// before, or the one that was shipped with the app.
    package var rollbackTarget: Release? {
        let sound = retained.first {
            !lifecycle.left.contains($0.version.string) && !lifecycle.unconfirmed.contains($0.version.string)
        }
        return fallbackRelease ?? sound ?? previous
            ?? releases.first { isSeed($0.version) && $0 !== active && !lifecycle.left.contains($0.version.string) }
    }

    /// The release that a rollback leads to; nil when there is none.
    package var previous: Release? {
        fallbackRelease ?? retained.first { !lifecycle.left.contains($0.version.string) }
    }

    /// What lies between the active release and the one to return to: a later rollback skips it too.
    func skipped(returningTo destination: Release) -> [BundleVersion] {
        guard retained.contains(where: { $0 === destination }) else { return [] }
        return retained.map(\.version).prefix { $0.string != destination.version.string }
    }

    /// An installed version that can be opened.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when it isn't installed; why it can't be opened.
    func existing(_ version: BundleVersion) throws(BundleError) -> Release {
        guard let release = release(version) else {
            if let damaged = damagedRelease(version)?.openingError { throw damaged }
            throw BundleError(
                .notFound,
                "\(name)@\(version) is not installed; installed: \(installedText)"
            )
        }
        return release
    }

    /// As ``existing(_:)``, but also finds a release that can't be opened: for operations that need only the catalog.
    func known(_ version: BundleVersion) throws(BundleError) -> Release {
        if let release = damagedRelease(version) { return release }
        return try existing(version)
    }

    /// The versions as text for messages; damaged ones are marked.
    package var installedText: String {
        (releases.map(\.version.string) + damaged.map { "\($0.version) (damaged)" }).joined(separator: ", ")
    }

    /// The error for the active release when its row can't be read; nil when it can.
    package var damagedRowError: BundleError? { damagedRow?.error }
}
