/// A bundle and the releases of it that the store holds.
public struct InstalledBundle: Sendable {
    /// The bundle's name.
    public let name: BundleName
    /// The active release; nil when none was activated, it was removed, or it can't be opened.
    public let active: Release?
    /// Earlier active releases, the latest first.
    public let retained: [Release]
    /// Every release that can be opened: the active one, the retained ones, then those never activated.
    public let releases: [Release]
    /// The releases that can't be opened; none of their files can be read.
    public let damaged: [Release]
    /// Whether there is an active release that can't be opened, or all of whose contents are lost.
    public let isDegraded: Bool
    /// The active version, whether or not it can be opened; nil when none was activated, the active one was removed, or
    /// the catalog can't tell any more.
    public let activeVersion: BundleVersion?

    /// The damage of the active release's row, when that can't be read.
    let damagedRow: StoreDamage?
    private let publisher: PublisherRecord?

    /// - Parameters:
    ///   - releases: Those that can be opened, the latest activated first.
    ///   - damaged: Those that can't.
    ///   - damagedRow: The damage of the active release's row, when that can't be read.
    ///   - publisher: Whose state browsers keep on the bundle's host.
    init(
        _ name: BundleName,
        _ releases: [Release],
        damaged: [Release] = [],
        damagedRow: StoreDamage? = nil,
        publisher: PublisherRecord? = nil
    ) {
        self.name = name
        active = releases.first { $0.state == .active }
        retained = releases.filter { $0.state == .retained }
        self.releases = (active.map { [$0] } ?? []) + retained + releases.filter { $0.state == .installed }
        (self.damaged, self.damagedRow, self.publisher) = (damaged, damagedRow, publisher)
        let damagedActive = damaged.first { $0.state == .active }
        isDegraded = active?.lacksContents ?? (damagedActive != nil || damagedRow != nil)
        activeVersion = active?.version ?? damagedActive?.version ?? damagedRow?.version
    }

    /// The release whose manifest counts: the active one, or without one the latest.
    public var current: Release? { active ?? damagedActive ?? releases.first }

    /// What answers in place of an active release that can't be read, as a whole: the retained one that was activated
    /// last.
    public var standIn: Release? { isDegraded ? retained.first { !$0.lacksContents } : nil }

    /// The release that answers. When neither the active one nor another can be opened, it is the active one all the
    /// same: none of its files can be read, but it says where its origins are.
    public var answering: Release? { standIn ?? active ?? damagedActive }

    /// A sentence that says what answers instead of the active release; nil while that can be opened.
    public var degradation: String? {
        guard isDegraded else { return nil }
        let lost = activeVersion.map { "\(name) \($0)" } ?? "\(name)'s active version"
        let what = active == nil ? "opened" : "read"
        return
            "\(lost) can't be \(what), \(standIn.map { "\($0.version) answers" } ?? "nothing answers in its place")"
    }

    /// What browsers are given that keep nothing of an earlier publisher on the bundle's host; nil while there has been
    /// none.
    package var publisherMark: String? {
        guard let publisher, let mark = publisher.mark else { return nil }
        let isSame = answering.map { publisher.publisher.isSame(as: BundlePublisher(of: $0.manifest)) } ?? true
        // What stands in for the active release is another publisher's: browsers keep nothing of either for the other.
        return isSame ? mark : mark + "-"
    }

    private var damagedActive: Release? { damaged.first { $0.state == .active } }

    /// Whether its manifest names a feed, so that it can be updated.
    public var hasFeed: Bool { current?.manifest.feed != nil }

    /// The release with this very version, or nil. Versions are told apart as text: `1.0+a` isn't `1.0+b`.
    public func release(_ version: BundleVersion) -> Release? {
        releases.first { $0.version.string == version.string }
    }

    /// The same for one that can't be opened.
    public func damagedRelease(_ version: BundleVersion) -> Release? {
        damaged.first { $0.version.string == version.string }
    }
}
