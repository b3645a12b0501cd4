import ArgumentParser
import BundleStore
import BundleTransport
import Foundation
import HTTPTypes

/// The receivers of events.
struct HookOptions: ParsableArguments {
    /// How long the end of a command waits for hooks.
    static let finalWait: Duration = .seconds(60)

    static let options = [onEvent, webhook, webhookLabel, webhookHeaderFile, webhookSecretFile]

    private static let onEvent = ConfigurableOption(
        "on-event",
        "Run this shell command for each event, with the event as JSON on standard input, for at most 10s.",
        value: "command"
    )
    @Option(Self.onEvent) var onEvent: String?

    private static let webhook = ConfigurableOption("webhook", "POST each event as JSON to this URL.", value: "url")
    @Option(Self.webhook) var webhook: FeedURL?

    private static let webhookLabel = ConfigurableOption.list(
        "webhook-label",
        "A label of this installation for the webhook's events; may be repeated.",
        value: "key=value"
    )
    @Option(Self.webhookLabel) var webhookLabel: [WebhookLabel] = []

    private static let webhookHeaderFile = ConfigurableOption(
        "webhook-header-file",
        "A file with a field for the webhook's requests on each line, such as “Authorization: Bearer …”.",
        value: "file"
    )
    @Option(Self.webhookHeaderFile, completion: .file()) var webhookHeaderFile: String?

    private static let webhookSecretFile = ConfigurableOption(
        "webhook-secret-file",
        "A file with a secret, whsec_ and Base64, by which the webhook's events are signed (Standard Webhooks).",
        value: "file"
    )
    @Option(Self.webhookSecretFile, completion: .file()) var webhookSecretFile: String?

    func validate() throws {
        let options = [
            (Self.webhookLabel, !webhookLabel.isEmpty), (Self.webhookHeaderFile, webhookHeaderFile != nil),
            (Self.webhookSecretFile, webhookSecretFile != nil),
        ]
        if webhook == nil, let option = options.first(where: \.1)?.0 {
            throw ValidationError("\(option.label) is for --webhook; give both, or leave it out")
        }
        guard webhookLabel.count <= WebhookLabel.maximumCount else {
            throw ValidationError("there are more than \(WebhookLabel.maximumCount) labels; leave some out")
        }
        if let key = Dictionary(grouping: webhookLabel, by: \.key).first(where: { $0.value.count > 1 })?.key {
            throw ValidationError("--webhook-label \(key) is given twice; leave one out")
        }
    }

    /// The webhook's receiver, with what the files have now; nil without one.
    ///
    /// - Throws: `BundleError` when a file can't be used.
    func receiver(of store: BundleStore, _ transport: NIOTransport, _ clock: any Clock<Duration>) throws -> Webhook? {
        guard let webhook else { return nil }
        let sender = WebhookSender(of: store, labels: webhookLabel)
        var receiver = Webhook(url: webhook.url, sender: sender, transport: transport, clock: clock)
        receiver.fields = try webhookHeaderFile.map(WebhookFields.read) ?? [:]
        receiver.key = try webhookSecretFile.map(WebhookKey.init(file:))
        return receiver
    }

    /// Calls `body` while hooks get the events of what this process does to the store. At the end it waits for them, for at
    /// most a minute. They change nothing of the result.
    ///
    /// - Parameter access: How the webhook is reached.
    /// - Throws: What `body` throws, and before that `BundleError` when a file of the webhook's can't be used.
    func observing<Result>(
        _ store: BundleStore,
        over access: NetworkAccess,
        warn: @escaping @Sendable (String) -> Void,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard onEvent != nil || webhook != nil else { return try await body() }
        return try await access.withTransport { transport in
            let clock = ContinuousClock()
            let command = onEvent.map { CommandHook(command: $0, store: store.path, clock: clock) }
            let hooks: [(any EventHook)?] = [command, try receiver(of: store, transport, clock)]
            let dispatcher = EventDispatcher(hooks.compactMap(\.self), clock: clock, warn: warn)
            store.setEventHandler(dispatcher.handle)
            return try await concluding(body) {
                store.setEventHandler(nil)
                await dispatcher.finish(within: Self.finalWait)
            }
        }
    }
}

/// `KEY=VALUE`: what an operator calls an installation, for webhooks.
struct WebhookLabel: ExpressibleByArgument, Equatable {
    /// How many there may be.
    static let maximumCount = 32
    private static let maximumKeyByteCount = 64
    private static let maximumValueByteCount = 256

    /// Letters, digits and `-._`.
    let key: String
    let value: String

    /// Nil for another form, for a key that is too long or has other characters, and for a value that is too long.
    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "=") else { return nil }
        let (key, value) = (argument[..<equals], argument[argument.index(after: equals)...])
        guard (1...Self.maximumKeyByteCount).contains(key.utf8.count),
            key.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || "-._".utf8.contains($0) }),
            value.utf8.count <= Self.maximumValueByteCount
        else { return nil }
        (self.key, self.value) = (String(key), String(value))
    }
}
