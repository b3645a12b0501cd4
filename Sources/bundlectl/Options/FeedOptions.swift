import ArgumentParser
import BundleInstall
import BundleNetwork
import BundleServer
import BundleStore
import BundleTransport
import Foundation

/// Which bundles to check, and with which feed.
struct FeedOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The feed's URL, instead of the manifest's; requires one NAME.", valueName: "url"))
    var feed: FeedURL?

    @Argument(help: "The bundles. Default: all that have a feed.")
    var names: [BundleName] = []

    func validate() throws {
        if feed != nil, Set(names).count != 1 {
            throw ValidationError("--feed is the feed of one bundle; name the bundle")
        }
    }

    /// The bundles that are named; nil for all.
    var selection: Set<BundleName>? { names.isEmpty ? nil : Set(names) }

    /// The feed that is given, with its bundle.
    var feeds: [BundleName: URL] {
        guard let feed, let name = names.first else { return [:] }
        return [name: feed.url]
    }

    /// Calls `body` with an updater, whose network ends with the call.
    func updating(
        _ store: BundleStore,
        _ shell: ShellOptions,
        _ activation: ActivationMode = .now,
        _ body: (Updater) async throws -> Void
    ) async throws {
        let transport = NIOTransport()
        let updater = Updater(
            store,
            installer: Installer(store),
            transport: transport,
            shellVersion: shell.version,
            activation: activation
        )
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(updater))
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        try result.get()
    }
}
