import BundleStore
import Dispatch
import Foundation
import Logging
import ServerCore
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Takes a record of each request from any thread, and writes lines on a thread of its own, within about a second.
/// Callers never wait for the disk: when it is too slow, lines are dropped, counted and reported.
///
/// Thread-safe. ``finish()`` must be called at the end.
final class AccessLog: RequestLog {
    /// The maximum number of buffered bytes.
    private static let maximumByteCount = 4 << 20
    /// From this many bytes on, the thread is woken immediately.
    private static let wakingByteCount = 64 << 10

    private struct State {
        var lines = LogLine()
        var time = LogTime()
        var lostLineCount = 0
        var shouldReopen = false
        var isFinishing = false
        var isFinished = false
        /// The callers of ``finish()``.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let format: AccessLogFormat
    private let logger: Logger
    private let finishLimit: DispatchTimeInterval
    private let state = Mutex(State())
    private let lostTotal = Atomic<Int>(0)
    private let wake = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - path: The file to append to; `-` for standard output.
    ///   - logger: Receives a message when lines are dropped.
    ///   - finishLimit: How long ``finish()`` waits: a pipe without a reader doesn't keep the process from ending.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when the file can't be opened.
    init(
        _ path: String,
        format: AccessLogFormat,
        logger: Logger,
        finishLimit: DispatchTimeInterval = .seconds(5)
    ) throws(BundleError) {
        self.format = format
        self.logger = logger
        self.finishLimit = finishLimit
        let file = try LogFile(path)
        Thread.detachNewThread { self.run(file) }
    }

    /// How many lines have been dropped so far.
    var lostLineCount: Int { lostTotal.load(ordering: .relaxed) }

    func append(_ record: AccessRecord) {
        let isWaking = state.withLock { state in
            guard state.lines.count < Self.maximumByteCount else {
                state.lostLineCount += 1
                return false
            }
            let before = state.lines.count
            state.time.advance(to: record.time)
            format.append(record, at: state.time, to: &state.lines)
            return before < Self.wakingByteCount && state.lines.count >= Self.wakingByteCount
        }
        if isWaking { wake.signal() }
    }

    /// Makes the thread open the file again before the next write, for log rotation.
    func reopen() {
        state.withLock { $0.shouldReopen = true }
        wake.signal()
    }

    /// Waits until everything is written, or for a few seconds when nothing can be, and closes the file. Nothing may be
    /// appended afterwards.
    func finish() async {
        await withCheckedContinuation { continuation in
            let isFinished = state.withLock { state in
                state.isFinishing = true
                if !state.isFinished { state.waiters.append(continuation) }
                return state.isFinished
            }
            if isFinished { return continuation.resume() }
            wake.signal()
            DispatchQueue.global().asyncAfter(deadline: .now() + finishLimit) { self.resumeWaiters() }
        }
    }

    /// Resumes the callers of ``finish()``.
    private func resumeWaiters() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func run(_ file: LogFile) {
        var (file, spare) = (file, LogLine())
        var isFailing = false
        while true {
            _ = wake.wait(timeout: .now() + .seconds(1))
            let taken = take(&spare)
            if taken.shouldReopen { reopen(&file) }
            isFailing = write(spare.bytes, to: &file, isFailing: isFailing)
            if taken.lostLineCount > 0 { report(taken.lostLineCount) }
            if taken.isFinishing { break }
        }
        file.shut()
        state.withLock { $0.isFinished = true }
        resumeWaiters()
    }

    /// Takes what is buffered, and leaves `spare` in its place, emptied.
    private func take(_ spare: inout LogLine) -> (shouldReopen: Bool, lostLineCount: Int, isFinishing: Bool) {
        spare.removeAll()
        return state.withLock { state in
            swap(&spare, &state.lines)
            defer { (state.shouldReopen, state.lostLineCount) = (false, 0) }
            return (state.shouldReopen, state.lostLineCount, state.isFinishing)
        }
    }

    private func reopen(_ file: inout LogFile) {
        do throws(BundleError) {
            try file.reopen()
        } catch {
            logger.error("the access log goes on in its former file: \(error)")
        }
    }

    /// Reports a failure when it begins. Returns whether writing fails now.
    private func write(_ bytes: [UInt8], to file: inout LogFile, isFailing: Bool) -> Bool {
        guard !bytes.isEmpty else { return isFailing }
        guard let failure = file.write(bytes) else { return false }
        let lost = bytes.suffix(failure.unwritten).count { $0 == UInt8(ascii: "\n") }
        lostTotal.add(lost, ordering: .relaxed)
        if !isFailing {
            let reason = String(cString: strerror(failure.errorCode))
            logger.error("the access log can't be written, and lines are lost: \(reason); make room, or check the disk")
        }
        return true
    }

    private func report(_ count: Int) {
        lostTotal.add(count, ordering: .relaxed)
        logger.warning("\(count) lines of the access log were lost, since the disk is too slow")
    }
}

/// The destination of lines: a file that is appended to, or standard output. For use by one thread.
struct LogFile {
    private let path: String
    private var descriptor: CInt
    /// Whether the last line is incomplete, because the disk became full in the middle of it.
    private var isTorn = false

    /// - Parameter path: The file, created if necessary; `-` for standard output.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    init(_ path: String) throws(BundleError) {
        self.path = path
        descriptor = path == "-" ? STDOUT_FILENO : try Self.open(path)
    }

    /// Opens the path again, which may now name another file.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`; the previous file then stays in use.
    mutating func reopen() throws(BundleError) {
        guard path != "-" else { return }
        let former = descriptor
        descriptor = try Self.open(path)
        _ = close(former)
        isTorn = false
    }

    /// Writes whole lines. After an incomplete line, the next one begins on a new line.
    ///
    /// - Returns: How many of the bytes were left when an error occurred, and its number; nil when all are written.
    mutating func write(_ lines: [UInt8]) -> (unwritten: Int, errorCode: CInt)? {
        if isTorn, let failure = append([Self.lineFeed]) { return (lines.count, failure.errorCode) }
        isTorn = false
        let failure = append(lines)
        if let failure {
            isTorn = lines.dropLast(failure.unwritten).last.map { $0 != Self.lineFeed } ?? false
        }
        return failure
    }

    private static let lineFeed = UInt8(ascii: "\n")

    private func append(_ bytes: [UInt8]) -> (unwritten: Int, errorCode: CInt)? {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { offset += count } else if errno != EINTR { return (bytes.count - offset, errno) }
        }
        return nil
    }

    func shut() {
        if path != "-" { _ = close(descriptor) }
    }

    private static func open(_ path: String) throws(BundleError) -> CInt {
        // A target may contain confidential data.
        let descriptor = Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw BundleError(
                .outputUnavailable,
                "could not open the access log \(path): \(reason)",
                .change(.accessLog, "choose another file")
            )
        }
        return descriptor
    }
}

/// Maintains an access log while the server runs: opens its file again at SIGUSR1, as nginx does for logrotate, and
/// writes the remaining lines at the end.
struct AccessLogService: Service {
    /// Nil when the access log is off: then the signal does nothing, where otherwise it would end the process.
    let log: AccessLog?
    /// SIGUSR1, trapped already.
    let signals: UnixSignalsSequence

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() { log?.reopen() }
        await log?.finish()
    }
}
