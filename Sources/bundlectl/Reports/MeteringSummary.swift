/// The result of `network metered`.
struct MeteringSummary: Report {
    /// Nil when servers decide at their start.
    let isMetered: Bool?

    var lines: [String] { ["metered: \(Self.text(isMetered))"] }

    static func text(_ isMetered: Bool?) -> String {
        isMetered.map { $0 ? "on" : "off" } ?? "as the server was started"
    }
}
