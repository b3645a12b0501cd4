import HTTPCore


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
