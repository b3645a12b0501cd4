import ArgumentParser
import BundleStore
import BundleTransport
import Foundation

/// The receivers of events.
struct HookOptions: ParsableArguments {
    /// How long the end of a command waits for hooks.
    static let finalWait: Duration = .seconds(60)

    @Option(
        help: ArgumentHelp(
            "Run this shell command for each event, with the event as JSON on standard input, for at most 10s.",
            valueName: "command"
        )
    )
    var onEvent: String?

    @Option(help: ArgumentHelp("POST each event as JSON to this URL.", valueName: "url"))
    var webhook: FeedURL?

    /// Calls `body` while hooks are told of what this process does to the store. At the end it waits for them, for at
    /// most a minute. They change nothing of the result.
    func observing<Result>(
        _ store: BundleStore,
        warn: @escaping @Sendable (String) -> Void,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard onEvent != nil || webhook != nil else { return try await body() }
        let (transport, clock) = (NIOTransport(), ContinuousClock())
        let command = onEvent.map { CommandHook(command: $0, store: store.path, clock: clock) }
        let poster = webhook.map { Webhook(url: $0.url, transport: transport, clock: clock) }
        let hooks: [(any EventHook)?] = [command, poster]
        let dispatcher = EventDispatcher(hooks.compactMap(\.self), clock: clock, warn: warn)
        store.setEventHandler(dispatcher.handle)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        store.setEventHandler(nil)
        await dispatcher.finish(within: Self.finalWait)
        await transport.shutdown()
        return try result.get()
    }
}
