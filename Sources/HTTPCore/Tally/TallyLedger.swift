import Synchronization

/// What all event loops of a server have counted, each on a sheet of its own. Thread-safe.
package final class TallyLedger: Sendable {
    private let sheets = Mutex<[TallySheet]>([])

    package init() {}

    /// A sheet for an event loop, which is kept.
    package func makeSheet() -> TallySheet {
        let sheet = TallySheet()
        sheets.withLock { $0.append(sheet) }
        return sheet
    }

    /// The number of requests so far.
    package var requestCount: Int64 {
        sheets.withLock { $0 }.lazy.flatMap(\.all).reduce(0) { $0 &+ $1.totals.requestCount }
    }

    /// The sums by kind. They only grow.
    package var totals: [ResponseTally.Kind: ResponseTally.Totals] {
        let sheets = sheets.withLock { $0 }
        var totals: [ResponseTally.Kind: ResponseTally.Totals] = [:]
        for tally in sheets.flatMap(\.all) { totals[tally.kind, default: ResponseTally.Totals()] &+= tally.totals }
        return totals
    }
}
