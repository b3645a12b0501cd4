/// The feed that a bundle follows by the operator's choice, in place of the one that its manifest names. A value type; safe to
/// share between threads.
public struct ChosenFeed: Equatable, Sendable {
    /// The feed's URL.
    public let url: String
    /// The channel; nil for the one that the manifest names.
    public let channel: String?

    /// Takes the values as they are.
    package init(url: String, channel: String?) {
        self.url = url
        self.channel = channel
    }
}
