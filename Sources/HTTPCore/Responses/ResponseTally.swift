import BundleModel
import Synchronization

/// Counts the responses of one kind, and their bytes.
///
/// One thread at a time adds, so that adding needs neither a lock nor an atomic addition; any thread may read.
package final class ResponseTally: Sendable {
    /// Which responses a tally counts.
    package struct Kind: Hashable, Sendable {
        /// The bundle that covers the URL; nil when none does.
        package let bundle: BundleName?
        package let layer: ResponseSource.Layer
        /// 0 to 599.
        package let status: Int

        package init(_ source: ResponseSource, status: Int) {
            bundle = source.release?.name
            layer = source.layer
            self.status = min(max(status, 0), 599)
        }
    }

    /// What has been counted.
    package struct Totals: Hashable, Sendable {
        package var requestCount: Int64 = 0
        /// The bytes of bodies that were passed to connections.
        package var byteCount: Int64 = 0
        /// The bytes that content codings have saved.
        package var savedByCodings: Int64 = 0
        /// The bytes that deltas have saved.
        package var savedByDeltas: Int64 = 0

        package init() {}

        package static func &+= (left: inout Totals, right: Totals) {
            left.requestCount &+= right.requestCount
            left.byteCount &+= right.byteCount
            left.savedByCodings &+= right.savedByCodings
            left.savedByDeltas &+= right.savedByDeltas
        }

        package static func &- (left: Totals, right: Totals) -> Totals {
            var totals = Totals()
            totals.requestCount = left.requestCount &- right.requestCount
            totals.byteCount = left.byteCount &- right.byteCount
            totals.savedByCodings = left.savedByCodings &- right.savedByCodings
            totals.savedByDeltas = left.savedByDeltas &- right.savedByDeltas
            return totals
        }
    }

    package let kind: Kind
    private let requestCount = Atomic<Int64>(0)
    private let byteCount = Atomic<Int64>(0)
    private let savedByCodings = Atomic<Int64>(0)
    private let savedByDeltas = Atomic<Int64>(0)

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// Counts a response.
    ///
    /// - Parameters:
    ///   - byteCount: The number of body bytes that were passed to the connection.
    ///   - saving: What its coding saves; nil for a response as it is.
    @inline(__always)
    package func add(byteCount: Int, _ saving: CodingSaving?) {
        Self.add(1, to: requestCount)
        Self.add(Int64(clamping: max(byteCount, 0)), to: self.byteCount)
        guard let saving, kind.status == 200 else { return }
        let saved = Int64(clamping: saving.savedByteCount(sending: byteCount))
        if saving.isDelta { Self.add(saved, to: savedByDeltas) } else { Self.add(saved, to: savedByCodings) }
    }

    /// Adds bytes of a response that has been counted.
    func add(laterByteCount: Int) { Self.add(Int64(clamping: max(laterByteCount, 0)), to: byteCount) }

    /// Nobody else writes the counter meanwhile.
    @inline(__always)
    private static func add(_ amount: Int64, to counter: borrowing Atomic<Int64>) {
        counter.store(counter.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    package var totals: Totals {
        var totals = Totals()
        totals.requestCount = requestCount.load(ordering: .relaxed)
        totals.byteCount = byteCount.load(ordering: .relaxed)
        totals.savedByCodings = savedByCodings.load(ordering: .relaxed)
        totals.savedByDeltas = savedByDeltas.load(ordering: .relaxed)
        return totals
    }
}

/// What a content coding or a delta saves when a response is sent whole.
package struct CodingSaving: Sendable, Hashable {
    /// Whether it is a delta to an earlier content (RFC 9842), and not a coding of the content alone.
    package let isDelta: Bool
    /// The length of the content without the coding, and with it, in bytes.
    package let (identityByteCount, codedByteCount): (Int, Int)

    /// Describes a coded content.
    package init(isDelta: Bool, identityByteCount: Int, codedByteCount: Int) {
        self.isDelta = isDelta
        self.identityByteCount = identityByteCount
        self.codedByteCount = codedByteCount
    }

    /// How many bytes weren't sent because of the coding; 0 when only a part was sent, or nothing.
    package func savedByteCount(sending byteCount: Int) -> Int {
        byteCount == codedByteCount ? max(identityByteCount - codedByteCount, 0) : 0
    }
}

/// The tallies of one event loop, by kind: no more than bundles, layers and statuses make.
///
/// The tallies that it returns are for the event loop alone; ``record(_:status:byteCount:)`` and
/// ``record(laterByteCount:of:status:)`` may be called from any thread on a sheet that no event loop uses.
package final class TallySheet: Sendable {
    private let tallies = Mutex<[ResponseTally.Kind: ResponseTally]>([:])

    package init() {}

    /// The tally for a response.
    package func tally(_ source: ResponseSource, status: Int) -> ResponseTally {
        tallies.withLock { Self.tally(ResponseTally.Kind(source, status: status), in: &$0) }
    }

    /// Counts a response, one at a time.
    package func record(_ source: ResponseSource, status: Int, byteCount: Int) {
        tallies.withLock { tallies in
            let tally = Self.tally(ResponseTally.Kind(source, status: status), in: &tallies)
            tally.add(byteCount: byteCount, source.saving)
        }
    }

    /// Adds bytes that are sent of a response after it was counted.
    package func record(laterByteCount byteCount: Int, of source: ResponseSource, status: Int) {
        tallies.withLock { tallies in
            Self.tally(ResponseTally.Kind(source, status: status), in: &tallies).add(laterByteCount: byteCount)
        }
    }

    /// All tallies so far.
    var all: [ResponseTally] { tallies.withLock { Array($0.values) } }

    private static func tally(
        _ kind: ResponseTally.Kind,
        in tallies: inout [ResponseTally.Kind: ResponseTally]
    ) -> ResponseTally {
        if let tally = tallies[kind] { return tally }
        let tally = ResponseTally(kind)
        tallies[kind] = tally
        return tally
    }
}

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
