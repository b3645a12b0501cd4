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
