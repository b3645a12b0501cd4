/// The share of the installations that a release is offered to. A value type; safe to share between threads.
public struct Rollout: Equatable, Sendable {
    /// All installations.
    public static let everyone = Rollout(unchecked: 100)

    /// In percent, from 0 to 100.
    public let percent: Double

    /// Returns nil unless `percent` is from 0 to 100.
    public init?(percent: Double) {
        guard (0...100).contains(percent) else { return nil }
        self.init(unchecked: percent)
    }

    private init(unchecked percent: Double) {
        // Negative zero would be written as such.
        self.percent = percent + 0
    }

    /// The number without a superfluous fraction.
    var text: String { percent == percent.rounded() ? "\(Int(percent))" : "\(percent)" }
}

extension Rollout: CustomStringConvertible {
    /// Such as `12.5%`.
    public var description: String { "\(text)%" }
}
