import Synchronization

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
