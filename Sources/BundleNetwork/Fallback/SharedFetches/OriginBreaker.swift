import BundleServing
import BundleStore
import Foundation
import HTTPTypes
import Synchronization

/// Remembers which origins don't respond, so that a request that has a stored response needn't wait for one of them. As
/// long as an origin is out, it is asked once a second behind the responses, so that its return is noticed soon.
///
/// A circuit breaker (Nygard, “Release It!”, 2nd edition, chapter 5). Thread-safe.
final class OriginBreaker: Sendable {
    /// How often an origin that is out is asked.
    private static let probeInterval: Duration = .seconds(1)
    /// More than a process has origins: forgetting the one that was asked longest ago costs one wait.
    static let maximumCount = 256

    fileprivate struct Record {
        var state: OriginState
        /// When the origin was last asked, if it is out.
        var askedAt: Duration?
        var usedAt: Duration
    }

    private struct State {
        var records: [String: Record] = [:]
        /// What ``NetworkLink/connectionCount`` was when the records began.
        var connectionCount = 0
    }

    private let state = Mutex(State())
    private let link: NetworkLink?
    private let elapsed: @Sendable () -> Duration
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - clock: The clock that probes are timed by.
    ///   - link: When it comes back, no origin counts as out any more.
    ///   - now: The clock for ``states``.
    init(clock: any Clock<Duration>, link: NetworkLink? = nil, now: @escaping @Sendable () -> Date = { Date() }) {
        self.link = link
        elapsed = clock.stopwatch()
        self.now = now
    }

    /// Whether an origin is out: its last request got no response, or none in time.
    func isOut(_ origin: String) -> Bool { withRecords { $0[origin]?.askedAt != nil } }

    /// Whether the caller is to ask an origin that is out.
    func takesProbe(_ origin: String) -> Bool {
        withRecords { records in
            let now = elapsed()
            guard let askedAt = records[origin]?.askedAt, now - askedAt >= Self.probeInterval else { return false }
            records[origin]?.askedAt = now
            records[origin]?.state.circuit = .halfOpen
            return true
        }
    }

    /// What has been seen of the origins, by name.
    var states: [OriginState] {
        let (date, time) = (now(), elapsed())
        return withRecords { records in
            records.values.map { record in
                var state = record.state
                state.nextTry = record.askedAt.map { askedAt in
                    date + max(0, Double(seconds: askedAt + Self.probeInterval - time))
                }
                return state
            }
        }
        .sorted { $0.origin < $1.origin }
    }

    /// The origin hasn't responded, or not in time.
    func noteTimeout(of origin: String) {
        let date = now()
        change(origin) { record, time in
            if record.askedAt == nil {
                (record.state.failure, record.state.failedAt) = ("it didn't respond in time", date)
            }
            record.open(at: time, date)
        }
    }

    /// Takes the outcome of a request. An origin that responds with what isn't HTTP to one URL may do better with others,
    /// so it doesn't count as out.
    func note(_ result: Result<HTTPResponse, BundleError>, of origin: String) {
        let date = now()
        change(origin) { record, time in
            switch result {
            case .success(let head):
                record.state.note(head.status.code, at: date)
                record.close()
            case .failure(let error):
                record.state.note(error.message, at: date)
                if !(error.cause is MalformedResponse) { record.open(at: time, date) }
            }
        }
    }

    private func withRecords<Result>(_ body: (inout [String: Record]) -> Result) -> Result {
        state.withLock { state in
            if let link, case let count = link.connectionCount, count != state.connectionCount {
                state.connectionCount = count
                for origin in state.records.keys { state.records[origin]?.close() }
            }
            return body(&state.records)
        }
    }

    private func change(_ origin: String, _ body: (inout Record, Duration) -> Void) {
        withRecords { records in
            let time = elapsed()
            if records[origin] == nil, records.count >= Self.maximumCount,
                let oldest = records.min(by: { $0.value.usedAt < $1.value.usedAt })
            {
                records[oldest.key] = nil
            }
            var record = records[origin] ?? Record(state: OriginState(origin), usedAt: time)
            record.usedAt = time
            body(&record, time)
            records[origin] = record
        }
    }
}

extension OriginBreaker.Record {
    fileprivate mutating func close() {
        askedAt = nil
        (state.circuit, state.outSince) = (.closed, nil)
    }

    fileprivate mutating func open(at time: Duration, _ date: Date) {
        askedAt = askedAt ?? time
        (state.circuit, state.outSince) = (.open, state.outSince ?? date)
    }
}

extension OriginState {
    fileprivate mutating func note(_ status: Int, at date: Date) {
        respondedAt = date
        responseCount += 1
        add(status)
    }

    fileprivate mutating func note(_ failure: String, at date: Date) {
        (self.failure, failedAt) = (Printable.line(failure), date)
        failureCount += 1
        add(0)
    }

    private mutating func add(_ status: Int) {
        recent = recent.suffix(Self.maximumRecentCount - 1) + [status]
    }
}

extension Double {
    fileprivate init(seconds duration: Duration) {
        let parts = duration.components
        self = Double(parts.seconds) + Double(parts.attoseconds / 1_000_000_000_000_000) / 1_000
    }
}
