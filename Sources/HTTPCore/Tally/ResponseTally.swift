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
