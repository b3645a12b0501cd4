/// What a release asks for before it counts as one that works: somebody has to confirm it. A value type; safe to share
/// between threads.
public struct HealthTerms: Hashable, Sendable {
    /// The longest ``withinSeconds``: an hour.
    package static let maximumSeconds: Int64 = 3_600
    /// The most ``starts``.
    package static let maximumStarts = 100

    /// How many seconds after the first load of one of its pages it has to be confirmed at the latest: 1 to 3,600.
    public let withinSeconds: Int64
    /// How many starts of a server or an app it may see without that: 1 to 100.
    public let starts: Int

    /// Nil when a number is out of its bounds.
    ///
    /// - Parameters:
    ///   - withinSeconds: Default: 30.
    ///   - starts: Default: 2.
    public init?(withinSeconds: Int64 = 30, starts: Int = 2) {
        guard (1...Self.maximumSeconds).contains(withinSeconds), (1...Self.maximumStarts).contains(starts) else {
            return nil
        }
        self.withinSeconds = withinSeconds
        self.starts = starts
    }
}

extension HealthTerms {
    /// The keys of the manifest's `health`.
    enum Key: String, CaseIterable {
        case within, starts
    }

    var encoded: JSONValue {
        .sorted([
            JSONObject.Member(Key.within.rawValue, .string("\(withinSeconds)s")),
            JSONObject.Member(Key.starts.rawValue, .number(JSONNumber(Int64(starts)))),
        ])
    }
}
