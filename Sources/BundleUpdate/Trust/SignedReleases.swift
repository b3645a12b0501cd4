import BundleStore

/// Keeps the record of installed releases for which a publisher's release key vouches. Nothing fails because that can't be written. A value
/// type; safe to share between threads.
struct SignedReleases: Sendable {
    let store: BundleStore

    /// Records for which releases of a verified feed the release key vouches, once the feed is trusted by its root from now on.
    ///
    /// A release that earlier release keys have signed, and the present ones haven't, may be a thief's: nothing goes back to it any
    /// more. The active one stays, so that no page is lost, until another one takes its place; and so does one that was shipped with an
    /// app, which vouches for it.
    func record(_ feed: Feed, by trust: FeedTrust?) {
        guard let trust, (try? store.trustAnchor(of: feed.name))?.digest == trust.anchor,
            let bundle = store.snapshot.bundles[feed.name]
        else { return }
        let offered = Dictionary(feed.releases.map { ($0.version.string, $0.trust) }, uniquingKeysWith: { $1 })
        var disowned: Set<String> = []
        for release in bundle.releases {
            let signature = bundle.signature(of: release)
            guard signature?.root != trust.anchor || signature?.keys != trust.releaseKeys else { continue }
            // Also one that was installed before the feed was signed.
            if let files = offered[release.version.string]?.filesDigest, release.filesDigest() == files {
                try? store.recordSigner(trust.anchor, by: trust.releaseKeys, of: release)
            } else if signature?.root == trust.anchor, !bundle.isSeed(release.version) {
                disowned.insert(release.version.string)
            }
        }
        try? store.leaveRevoked(disowned, of: feed.name)
    }
}
