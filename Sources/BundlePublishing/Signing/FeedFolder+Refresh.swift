import BundleModel
import BundleStore
import BundleTrust
import Foundation

extension FeedFolder {
    /// Signs a feed again whose signatures have half of their life behind them, or weren't all written. The feed stays as it is.
    ///
    /// - Parameter keys: The online key is enough.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the feed isn't signed yet, or a key is missing;
    ///   `invalidFeed` when the feed isn't the one that was signed, or devices would refuse it; `outputUnavailable` when the folder can't
    ///   be written.
    package func refresh(signing keys: SigningKeys) throws -> RefreshReport {
        let lock = try FolderLock(path)
        defer { withExtendedLifetime(lock) {} }
        let signer = try FeedSigner(self, keys: keys, at: now())
        let current = signer.feed
        guard let bytes = current.feed, let state = current.state else {
            throw BundleError(
                .invalidArgument,
                "the feed in \(Printable.line(name)) isn't signed yet; publish a release with the release key first"
            )
        }
        let isDue = state.snapshot.expiry <= now() + SignatureLife.online / 2 || !current.isComplete
        let signed = isDue ? try signer.sign(bytes, targets: nil) : nil
        if let signed {
            let document = try FeedDocument.parse(bytes, named: Printable.line(feedName))
            try write(document, insteadOf: document, signed)
        }
        return RefreshReport(
            feedName: feedName,
            isRefreshed: isDue,
            signedUntil: signed?.expiry ?? state.snapshot.expiry,
            targetsExpiry: state.targets.expiry,
            rootExpiry: current.roots.latest.expiry,
            now: now()
        )
    }
}

/// Until when a feed's signatures are good. A value type; safe to share between threads.
package struct RefreshReport: Sendable {
    /// The feed, as its folder names it.
    package let feedName: String
    /// Whether the feed was signed again.
    package let isRefreshed: Bool
    /// Until when devices take what the online key has signed.
    package let signedUntil: Date
    /// Until when they take what the release key has signed.
    package let targetsExpiry: Date
    /// Until when they take the root.
    package let rootExpiry: Date
    fileprivate let now: Date

    /// What only a person with the other keys can sign again, and has half of its life behind it.
    package var warnings: [String] {
        [
            (RoleName.targets, targetsExpiry, "what the release key has signed", "publish with the release key"),
            (RoleName.root, rootExpiry, "the root", "replace the root key, which makes a new one"),
        ].compactMap { role, expiry, what, advice in
            SignatureLife.isDue(role, until: expiry, since: nil, at: now)
                ? "\(what) expires at \(expiry.formatted(.iso8601)); before then \(advice)" : nil
        }
    }
}
