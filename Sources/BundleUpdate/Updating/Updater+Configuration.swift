import BundleStore

extension Updater {
    /// How an updater works. A value type; safe to share between threads.
    public struct Configuration: Sendable {
        static let defaultUserAgent = "offline-bundles/\(ProductVersion.string)"

        /// The version of the shell that shows the bundles. Without it, a release that needs a certain one isn't
        /// installed. Default: nil.
        public var shellVersion: BundleVersion?
        /// The groups that this installation is in: it gets what a feed offers to one of them, whatever share of the installations that is
        /// offered to. Default: none.
        public var groups: Set<String> = []
        /// When a release that an update has installed becomes active. One that takes the place of a release that mustn't be
        /// used any more becomes active at once. Default: at once.
        public var activation = ActivationMode.now
        /// The User-Agent of the updater's requests (RFC 9110 §10.1.5). Default: this package's name and version.
        public var userAgent = defaultUserAgent
        /// What the publishers' servers want to see: passwords, tokens. Default: none.
        public var credentials = FeedCredentials.none
        /// Whether updates are made by a clock, and not by a person: then what couldn't be fetched isn't asked for again before
        /// a pause, and a bundle that another process updates is left out, see ``UpdatePostponement``. Default: false.
        public var isScheduled = false
        /// Whether a feed is accepted that is older than one seen, because its publisher has started it over: the highest number
        /// that was seen is forgotten. Default: false.
        public var acceptsOlderFeeds = false
        /// Whether nothing is installed that its publisher hasn't signed, also of bundles whose feed was never trusted before.
        /// Default: false.
        public var requiresTrust = false
        /// The roots of publishers that the program has, by the bundles whose feeds have to be trusted by them, and by no other one. They
        /// may be later ones than those that are trusted by now, or earlier ones. A feed without signatures is never taken in
        /// place of one of these. Default: none.
        public var roots: [BundleName: PublisherRoot] = [:]
        /// Whether releases are fetched. Otherwise an update ends with ``UpdateResult/available(_:)`` where it would begin to
        /// fetch one. Default: true.
        public var fetches = true
        /// What is fetched on a metered link. Default: ``MeteredPolicy/patches``.
        public var onMetered = MeteredPolicy.patches
        /// Whether the link is metered, asked before something is fetched, on any thread. Default: never.
        public var isMetered: @Sendable () -> Bool = { false }
        /// Whether an update takes contents from any bundle in the store instead of fetching them, and not only from its own and
        /// from those that have an origin on the feed's host. A publisher may then find out, by the digests that its feed names,
        /// which files of other publishers the store has, and have them served as its own. Default: false.
        public var sharesContents = false
        /// How the places are reached that an operator names besides web servers, such as a stick; nil where none may be. What the network or
        /// a manifest names never is one. Default: nil.
        package var places: OperatorPlaces?
        /// Where the system downloads files; nil where it doesn't.
        var background: BackgroundHandover?
        /// A cache on the site's network, which is asked first for what has a digest. One that doesn't send the head of a response within
        /// five seconds, sends too slowly or sends something else isn't asked again for an hour. Default: nil.
        public var siteCache: SiteCache?
        /// How slow downloads may be, and how fast.
        public var transfers = TransferLimits()

        /// The default configuration.
        public init() {}
    }
}

/// How slow transfers from publishers' servers may be, and how fast. A value type; safe to share between threads.
public struct TransferLimits: Hashable, Sendable {
    /// The longest time that one transfer takes, from the request to the last byte; more than zero. What was received of
    /// an archive is kept, and the next attempt goes on from there. Default: 1 h.
    public var deadline: Duration = .seconds(3_600)
    /// The least rate in bytes per second; 0 for none. Default: 1,000, as OSTree has it (ostree.repo-config(5)).
    public var leastRate: Int64 = 1_000
    /// How long a transfer may be below ``leastRate``; more than zero. Default: 30 s, as OSTree has it.
    public var patience: Duration = .seconds(30)
    /// The highest rate in bytes per second, of all transfers together, 1 or more; nil for none. Default: nil.
    public var maximumRate: Int64?

    /// The default values.
    public init() {}

    /// For short documents, which come whole or not at all.
    static let document: TransferLimits = {
        var limits = TransferLimits()
        limits.deadline = .seconds(60)
        limits.leastRate = 0
        return limits
    }()
}

/// What updates fetch on a metered link. Feeds are asked in any case: they are small. A value type; safe to share between
/// threads.
public enum MeteredPolicy: String, CaseIterable, Sendable {
    /// Nothing.
    case never
    /// What makes a release out of what is installed, which is usually a small part of it.
    case patches
    /// Everything.
    case always

    /// Whether a release may be fetched.
    ///
    /// - Parameters:
    ///   - isPatch: Whether what is fetched is a patch to what is installed.
    ///   - isMetered: Whether the link is metered.
    func permitsFetching(isPatch: Bool, isMetered: Bool) -> Bool {
        switch self {
        case .never: !isMetered
        case .patches: !isMetered || isPatch
        case .always: true
        }
    }
}
