import BundleModel
import Foundation
import HTTPCore
import HTTPTypes
import Logging

/// Records each request once its response has been sent or has failed: in the metrics, in the access log, and at level
/// `debug` in the server's log. Thread-safe; returns immediately.
///
/// That there was a request is counted apart from that, by the tallies of the event loop: this takes no clock and no
/// record of it.
package struct RequestRecorder: Sendable {
    /// Where requests are counted; nil when they aren't.
    let ledger: TallyLedger?
    /// Nil when durations aren't measured.
    let metrics: (any ServerMetrics)?
    /// Nil when there is no access log.
    let log: (any RequestLog)?
    private let logger: Logger

    package init(
        metrics: (any ServerMetrics)?,
        log: (any RequestLog)?,
        logger: Logger,
        counting ledger: TallyLedger? = nil
    ) {
        self.ledger = ledger
        self.metrics = metrics
        self.log = log
        self.logger = logger
    }

    /// Whether each request is logged, now: the level may change while the server runs.
    private var isLogging: Bool { logger.logLevel <= .debug }

    /// Whether anything is recorded besides the number of requests.
    var isOn: Bool { metrics != nil || log != nil || isLogging }

    /// The record of a request that has been read; nil when nothing is recorded.
    ///
    /// - Parameter record: Called with the time when the client and the request's texts are recorded.
    func begin(at time: @autoclosure () -> Date, _ record: (Date) -> AccessRecord) -> PendingRecord? {
        guard isOn else { return nil }
        let time = time()
        return PendingRecord(needsTexts ? record(time) : AccessRecord(countedAt: time))
    }

    /// Records the response to what isn't taken for a request: it is malformed, or too much.
    func record(
        refusal: Response,
        in tallies: TallySheet?,
        from client: @autoclosure () -> LogText,
        at time: @autoclosure () -> Date
    ) {
        tallies?.record(ResponseSource(.server), status: refusal.head.status.code, byteCount: refusal.body.byteCount)
        guard isOn else { return }
        var record = AccessRecord(from: client(), at: time())
        (record.status, record.byteCount) = (refusal.head.status.code, refusal.body.byteCount)
        self.record(record)
    }

    /// Whether the client and the request's texts are recorded, and not only counted.
    var needsTexts: Bool { log != nil || isLogging }

    private func metadata(of record: AccessRecord) -> Logger.Metadata {
        let microseconds = record.duration / .microseconds(1)
        var metadata: Logger.Metadata = [
            "layer": "\(record.source.layer.rawValue)", "bytes": .stringConvertible(record.byteCount),
            "ms": .stringConvertible((microseconds / 1_000 * 1_000).rounded() / 1_000),
        ]
        if let release = record.source.release { metadata["release"] = "\(release)" }
        if let reason = record.source.reason { metadata["reason"] = "\(Printable.text(reason))" }
        return metadata
    }

    func record(_ record: AccessRecord) {
        metrics?.record(record.source.layer, duration: record.duration)
        log?.append(record)
        guard isLogging, record.hasTexts else { return }
        let (method, target) = (record.method.string, record.target.string)
        logger.debug(
            "\(method.map { "\($0) \(Printable.text(target ?? ""))" } ?? "no request") \(record.status)",
            metadata: metadata(of: record)
        )
    }
}

/// The record of a request whose response is under way. For use on one event loop.
///
/// A class, so that checking whether there is one costs nothing.
final class PendingRecord {
    /// The status of a request without a response, as with nginx: the client has closed the connection.
    static let abandoned = 499

    private var record: AccessRecord
    private let start: ContinuousClock.Instant

    /// - Parameters:
    ///   - record: What is known of the request, and of its response so far.
    ///   - start: When the request's head was read.
    init(_ record: AccessRecord, since start: ContinuousClock.Instant = .now) {
        self.record = record.owned
        self.start = start
    }

    /// The request's target, for logs; nil when it isn't recorded.
    var target: String? { record.target.string }

    /// Removes what is known of the request: the input wasn't one.
    func removeRequest() { record = record.withoutRequest }

    /// Notes the response that is sent.
    func note(_ status: Int, _ source: ResponseSource) {
        record.status = status
        record.source = source
    }

    /// The record of the response, which has ended. Without a response the status is ``abandoned``.
    ///
    /// - Parameter byteCount: How much of the body was sent, in bytes; nil for as much as the record says.
    func finished(byteCount: Int?) -> AccessRecord {
        var record = record
        if record.status == 0 { record.status = Self.abandoned }
        if let byteCount { record.byteCount = byteCount }
        record.duration = start.duration(to: .now)
        return record
    }
}

/// A request that is counted once its response has ended. For use on one event loop.
struct PendingCount {
    private var tally: ResponseTally?
    private var saving: CodingSaving?
    private var isOver = false

    /// Notes the response that is sent.
    ///
    /// - Parameter tally: That of its kind; nil when responses aren't counted.
    mutating func note(_ tally: ResponseTally?, _ saving: CodingSaving?) {
        (self.tally, self.saving) = (tally, saving)
    }

    /// Counts the response, which has ended; once. Without a response the request was abandoned.
    ///
    /// - Parameter byteCount: How many bytes of the body were sent.
    mutating func finish(byteCount: Int, in tallies: TallySheet?) {
        guard let tallies, !isOver else { return }
        isOver = true
        let tally = tally ?? tallies.tally(ResponseSource(.server), status: PendingRecord.abandoned)
        tally.add(byteCount: byteCount, saving)
    }
}

/// Keeps a record of each request.
package protocol RequestLog: Sendable {
    /// Takes a record, whose bytes may be invalid after the call. Returns immediately, from any thread.
    func append(_ record: AccessRecord)
}

/// Counts a server's connections and requests. Every call returns immediately, from any thread.
package protocol ServerMetrics: Sendable {
    func connectionOpened()

    func connectionClosed()

    /// Counts a connection that was refused because there are too many.
    func connectionRefused()

    /// Notes how long a request took; that there was one is counted by a `TallySheet`.
    ///
    /// - Parameter duration: From the request's head to the response's last byte.
    func record(_ layer: ResponseSource.Layer, duration: Duration)
}
