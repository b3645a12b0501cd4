/// Fields that are removed, replaced and added, in this order. A value type; safe to share between threads.
package struct FieldEdit: Equatable, Sendable {
    /// The keys of an edit.
    enum Key: String, CaseIterable {
        case set
        case add
        case remove
    }

    /// The largest number of fields in each list.
    static let maximumCount = 32
    /// The longest value in bytes.
    static let maximumValueByteCount = 4_096

    /// Fields that replace all of their name.
    package var set: [HeaderField] = []
    /// Fields that are added to those of their name.
    package var add: [HeaderField] = []
    /// Names of fields that are removed.
    package var remove: [String] = []

    /// No edit.
    package init() {}

    /// Whether nothing changes.
    package var isEmpty: Bool { remove.isEmpty && set.isEmpty && add.isEmpty }
}

/// Which fields a network rule may change.
package enum EditableField {
    /// The message that a field is in.
    package enum Message: Sendable {
        /// The request that goes to the origin.
        case request
        /// The response that goes to the client.
        case response
    }

    /// What a rule may do to a field.
    package enum Permission: Sendable {
        /// Remove it and set it.
        case any
        /// Only remove it.
        case removal
        /// Nothing.
        case nothing
    }

    /// What a rule may do to the field `name`. Spellings that servers treat as the same, such as `Content_Length`
    /// (RFC 3875 §4.1.18), are the same.
    package static func permission(for name: String, in message: Message) -> Permission {
        let name = HTTPSyntax.collapsedName(name)
        if hopNames.contains(name) { return .nothing }
        switch message {
        case .request:
            if messageNames.contains(name) || messagePrefixes.contains(where: name.hasPrefix) { return .nothing }
            return credentialNames.contains(name) ? .removal : .any
        case .response:
            if HeaderField.isReserved(name) { return .nothing }
            return OriginWideField.isRefused(inManifest: name) ? .removal : .any
        }
    }

    /// Those of one connection (RFC 9110 §7.6.1) and those that frame messages (RFC 9112 §6).
    private static let hopNames = HeaderField.framingNames.union([
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "http2-settings",
    ])

    /// Those that say where the request goes, what its content is, which part or form of the response is wanted (the
    /// cache decides that), and how it has come; and those by which servers recognise requests of other sites
    /// (RFC 6454 §7). Pages can't set them either (Fetch, “forbidden request-header”).
    private static let messageNames: Set<String> = [
        "host", "expect", "via", "max-forwards", "date", "origin",
        "content-encoding", "content-range", "content-type",
        "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
        "accept-encoding", "accept-charset", "available-dictionary", "dictionary-id",
    ]

    /// Fetch metadata and WebSocket's handshake (RFC 6455 §11.3), and preflights.
    private static let messagePrefixes = ["sec-", "access-control-request-"]

    /// Credentials belong to the client and to the one origin that gave them, and a secret in an archive is none. Where a
    /// request comes from is the browser's to say.
    private static let credentialNames: Set<String> = ["authorization", "cookie", "cookie2", "referer", "dnt"]
}
