import ArgumentParser
import BundleStore

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
