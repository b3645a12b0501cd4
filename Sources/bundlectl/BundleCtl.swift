import ArgumentParser

/// The `bundlectl` command. Each verb gives its name, although it could be derived from its type: deriving all names
/// takes longer than most verbs.
struct BundleCtl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundlectl",
        abstract: "Install, serve and update bundles of web assets, offline first.",
        discussion: """
            The store is the folder given by --store, else by BUNDLECTL_STORE, else bundlectl in the XDG data folder.

            Example:
              bundlectl install shop-1.0.0.zip && bundlectl serve --mount shop=/

            EXIT STATUS:
            \(ExitStatus.table)
              130 interrupted by Ctrl-C (serve: 0)
              143 interrupted by SIGTERM (serve: 0)
            """,
        subcommands: [
            Install.self, List.self, Show.self, Resolve.self, Serve.self, Check.self, Update.self, Activate.self,
            Rollback.self, Pin.self, Unpin.self, Remove.self, Prune.self, Quota.self, Verify.self, Export.self,
            Pack.self,
            Publish.self, Cache.self,
        ]
    )
}
