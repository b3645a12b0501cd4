import BundleStore
import Foundation

/// The result of `network`.
struct NetworkSummary: Report {
    /// An origin, as a server has seen it.
    struct Origin: Encodable {
        let origin: String
        let state: OriginState.Circuit
        let nextTryAt: Date?
        let failure: String?
        let failedAt: Date?
        let respondedAt: Date?
        let responseCount: Int
        let failureCount: Int
        let recent: [Int]
        let notedAt: Date
    }

    /// Nil when servers decide at their start.
    let isMetered: Bool?
    /// Nil when that can't be determined.
    let isServed: Bool?
    let origins: [Origin]

    init(isMetered: Bool?, isServed: Bool?, origins: [(state: OriginState, notedAt: Date)]) {
        self.isMetered = isMetered
        self.isServed = isServed
        self.origins = origins.map { state, date in
            Origin(
                origin: state.origin,
                state: state.circuit,
                nextTryAt: state.nextTry,
                failure: state.failure,
                failedAt: state.failedAt,
                respondedAt: state.respondedAt,
                responseCount: state.responseCount,
                failureCount: state.failureCount,
                recent: state.recent,
                notedAt: date
            )
        }
    }

    var lines: [String] {
        let facts = KeyValueList.lines([
            ("metered", MeteringSummary.text(isMetered)),
            ("server", isServed.map { $0 ? "running" : "not running; the origins are as the last one saw them" }),
        ])
        guard !origins.isEmpty else { return facts + ["no origin has been asked"] }
        return facts + [""] + table + failureLines
    }

    private var table: [String] {
        var table = Table([
            ("STATE", .left), ("RESPONSES", .right), ("FAILURES", .right), ("LAST", .left), ("NOTED", .left),
            ("ORIGIN", .left),
        ])
        for origin in origins {
            table.add([
                origin.stateText, String(origin.responseCount), String(origin.failureCount),
                origin.recent.suffix(5).map { $0 == 0 ? "-" : String($0) }.joined(separator: " "),
                Timestamp.text(origin.notedAt), Printable.line(origin.origin),
            ])
        }
        return table.lines
    }

    private var failureLines: [String] {
        let failures = origins.compactMap { origin -> String? in
            guard let failure = origin.failure, let date = origin.failedAt else { return nil }
            return Printable.line("\(origin.origin) at \(Timestamp.text(date)): \(failure)")
        }
        return failures.isEmpty ? [] : ["", "last failures:"] + failures
    }
}

extension NetworkSummary.Origin {
    fileprivate var stateText: String {
        guard state == .open, let nextTryAt else { return state.rawValue }
        return "open until \(Timestamp.text(nextTryAt))"
    }
}
