import ArgumentParser

/// The verbs of publishers are apart from those of the store, of which “rollback” is one too.
struct FeedGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract:
            "Show and change what a feed offers: list, show, unpublish, promote, rollout, revoke, rollback.",
        discussion: """
            Each change replaces the feed in one step and raises its sequence number, by which installations tell an \
            older feed from a newer one.

            Examples:
              bundlectl feed list --in /srv/www/releases
              bundlectl feed rollout shop@1.1.0 50% --in /srv/www/releases
              bundlectl feed promote shop@1.2.0 --from beta --to stable --in /srv/www/releases
            """,
        subcommands: [
            FeedList.self, FeedShow.self, FeedUnpublish.self, FeedPromote.self, FeedRollout.self,
            FeedRevoke.self, FeedRollback.self,
        ]
    )
}
