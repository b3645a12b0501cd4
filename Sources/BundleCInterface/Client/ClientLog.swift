import BundleEmbedding
import BundleInstall
import BundleServing
import BundleStore
import BundleUpdate
import CBundle
import Dispatch
import Foundation
import HTTPTypes
import Synchronization

/// Gives what a client reports to a callback of the program, on a queue, so that nothing waits for it. Thread-safe.
///
/// Unchecked: functions of C have no state; the header says that they are called on other threads.
final class ClientLog: @unchecked Sendable {
    /// How many messages may wait.
    static let capacity = 1_024

    private struct State {
        var isClosed = false
        var waitingCount = 0
        var droppedCount = 0
    }

    private let callback: ob_log_callback
    private let context: CContext
    private let level: ob_log_level
    /// All messages together: in the callback, the client may be closed while others wait behind it.
    private let work: CallbackWork
    private let queue = DispatchQueue(label: "ob_log")
    private let state = Mutex(State())

    /// - Throws: ``ClientCallbacks/closed``.
    init(
        _ callback: @escaping ob_log_callback,
        _ context: UnsafeMutableRawPointer?,
        from level: ob_log_level,
        _ callbacks: ClientCallbacks
    ) throws(BundleError) {
        self.callback = callback
        self.context = CContext(pointer: context)
        self.level = level
        work = try callbacks.begin()
    }

    /// Reports something, unless it matters too little. Messages that find no room are counted.
    func note(_ level: Int, _ message: @autoclosure () -> String) {
        guard level >= self.level else { return }
        let droppedCount = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            guard state.waitingCount < Self.capacity else {
                state.droppedCount += 1
                return nil
            }
            state.waitingCount += 1
            defer { state.droppedCount = 0 }
            return state.droppedCount
        }
        guard let droppedCount else { return }
        let line = Printable.line(message())
        queue.async { [self] in
            if droppedCount > 0 { send(OB_LOG_WARNING, Self.notice(ofDropped: droppedCount)) }
            send(level, line)
            reportDropped()
        }
    }

    /// Notes that a message was sent. After the last one that waits, those that found no room are told.
    private func reportDropped() {
        let count = state.withLock { state in
            state.waitingCount -= 1
            guard state.waitingCount == 0 else { return 0 }
            defer { state.droppedCount = 0 }
            return state.droppedCount
        }
        if count > 0 { send(OB_LOG_WARNING, Self.notice(ofDropped: count)) }
    }

    private static func notice(ofDropped count: Int) -> String { "\(count) messages were dropped; the log is too slow" }

    /// Drops what waits, and ends the work of the log.
    func close() {
        state.withLock { $0.isClosed = true }
        queue.async { [work] in work.end() }
    }

    private func send(_ level: Int, _ line: String) {
        guard !state.withLock(\.isClosed) else { return }
        let text = CText(line)
        work.call { callback(context.pointer, ob_log_level(level), text.pointer) }
    }
}

/// What has come of installations, checks and updates.
extension ClientLog {
    func note(_ report: InstallReport) {
        switch report.outcome {
        case .installed: note(OB_LOG_INFO, "\(report.name)@\(report.version) was installed")
        case .activated: note(OB_LOG_INFO, "\(report.name)@\(report.version) is active")
        case .unchanged: break
        }
        for warning in report.warnings { note(OB_LOG_WARNING, warning) }
    }

    func note(_ report: CheckReport) {
        guard report.state == .failed else { return }
        note(OB_LOG_WARNING, "the check of \(report.name) failed: \(report.error ?? "the feed can't be used")")
    }

    func note(_ report: UpdateReport) {
        let versions = "from \(report.from?.string ?? "none") to \(report.to?.string ?? "none")"
        switch report.outcome {
        case .updated: note(OB_LOG_INFO, "\(report.name) was updated \(versions)")
        case .pending: note(OB_LOG_INFO, "\(report.name) will be updated \(versions)")
        case .failed:
            note(OB_LOG_WARNING, "the update of \(report.name) failed: \(report.error ?? "the feed can't be used")")
        case .upToDate, .noFeed, .postponed: break
        }
    }
}

/// A network whose failures are reported.
struct ReportingTransport: OriginTransport {
    let base: any OriginTransport
    let log: ClientLog

    func send(_ call: OriginCall) async throws -> OriginResponse {
        do {
            return try await base.send(call)
        } catch let error as BundleError {
            let url = "\(call.request.scheme ?? "")://\(call.request.authority ?? "")\(call.request.path ?? "")"
            log.note(OB_LOG_WARNING, "\(call.request.method.rawValue) \(URL.reported(url)): \(error.message)")
            throw error
        }
    }
}
