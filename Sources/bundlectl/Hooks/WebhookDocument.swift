import BundleStore

/// An event as a webhook gets it: its keys are those of the event in `history`, with the installation that it comes from.
struct WebhookDocument: Encodable {
    let event: EventSummary
    let sender: WebhookSender

    private enum CodingKeys: CodingKey {
        case installation, labels
    }

    func encode(to encoder: any Encoder) throws {
        try event.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sender.installation, forKey: .installation)
        if !sender.labels.isEmpty { try container.encode(sender.labels, forKey: .labels) }
    }
}

/// The installation that tells of its events. A value type.
struct WebhookSender: Sendable {
    /// Tells it from others: 32 hexadecimal digits.
    let installation: String
    /// What its operator calls it.
    let labels: [String: String]

    /// The identifier by which releases are offered to a share of the installations stays in the store.
    ///
    /// A store that can't be written, and has none yet, gets another one each time.
    init(of store: BundleStore, labels: [WebhookLabel]) {
        let identifier = (try? store.installationIdentifier()) ?? .random()
        self.init(installation: identifier.pseudonym(for: "webhook"), labels: labels)
    }

    init(installation: String, labels: [WebhookLabel] = []) {
        self.installation = installation
        self.labels = Dictionary(labels.map { ($0.key, $0.value) }) { _, last in last }
    }
}
