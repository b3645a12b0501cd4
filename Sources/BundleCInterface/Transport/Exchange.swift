import BundleServing
import BundleStore
import CBundle
import Dispatch
import HTTPTypes
import Synchronization

/// A request to an origin that the program sends, and its response: the program writes, a task reads. Thread-safe.
final class Exchange: Sendable {
    /// The most bytes of the body that wait to be read.
    static let capacity = 256 << 10

    /// What the program and the library have come to.
    fileprivate enum Sending {
        case waiting, running, returned
    }

    fileprivate struct State {
        var sending = Sending.waiting
        var isCancelling = false
        weak var handle: ExchangeHandle?
        var body = ExchangeBuffer()
        var head: HTTPResponse?
        /// Nil while bytes may follow.
        var end: Result<Void, any Error>?
        var headWaiter: CheckedContinuation<HTTPResponse, any Error>?
        var reader: CheckedContinuation<[UInt8]?, any Error>?
        var writers: [DispatchSemaphore] = []

        /// Whether the program isn't called any more.
        var isOver: Bool { end != nil && sending == .returned && !isCancelling }
    }

    let request: HTTPRequest
    let content: BodyStream?
    private let program: ProgramCallbacks
    private let work: CallbackWork
    private let state = Mutex(State())

    /// - Parameter work: Ends when the program isn't called any more.
    init(_ call: OriginCall, _ program: ProgramCallbacks, _ work: CallbackWork) {
        (request, content) = (call.request, call.content)
        (self.program, self.work) = (program, work)
        work.onClose { [weak self] in self?.abandon() }
    }

    /// Whether nobody waits for the response any more, or it is complete.
    var hasEnded: Bool { state.withLock { $0.end != nil } }
}

/// What the program does.
extension Exchange {
    /// Calls the program's `send`, unless nobody waits for the response any more.
    func send() {
        var handle: ExchangeHandle? = ExchangeHandle(self)
        let isWanted = state.withLock { state in
            state.handle = handle
            state.sending = state.end == nil ? .running : .returned
            return state.end == nil
        }
        if isWanted, let pointer = handle.map(Handle.make) {
            // The program alone owns it: freeing it in its `send` fails the response at once.
            handle = nil
            work.call { program.send(pointer) }
            state.withLock { $0.sending = .returned }
        }
        endIfOver()
    }

    /// Takes the head.
    ///
    /// - Throws: `CancellationError` after the end; ``/BundleModel/BundleError`` with code `invalidArgument` for a second head.
    func respond(_ head: HTTPResponse) throws {
        let waiter = try state.withLock { state in
            guard state.end == nil else { throw CancellationError() }
            guard state.head == nil else {
                throw BundleError(.invalidArgument, "the response has a head already; give one only")
            }
            state.head = head
            state.body.expected = ExchangeBuffer.length(of: head, to: request)
            defer { state.headWaiter = nil }
            return state.headWaiter
        }
        waiter?.resume(returning: head)
    }

    /// Takes bytes of the body, and waits until there is room for them.
    ///
    /// - Returns: Whether the rest is wanted.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while true {
            switch state.withLock({ $0.take(&rest) }) {
            case .refused: return false
            case .done: return true
            case .excess:
                fail("the body is longer than Content-Length says")
                return false
            case .wait(let room): room.wait()
            case .deliver(let reader, let chunk): reader.resume(returning: chunk)
            }
        }
    }

    /// The body is complete.
    func finish() {
        let problem = state.withLock { state -> String? in
            if state.head == nil { return "the program gave no response" }
            guard let missing = state.body.missing, missing > 0 else { return nil }
            return "the response ended \(missing) bytes before its end"
        }
        end(with: problem.map { .failure(failure($0)) } ?? .success(()))
    }

    /// There is no response, or the rest of its body is missing.
    func fail(_ problem: String) { end(with: .failure(failure(problem))) }

    private func failure(_ problem: String) -> BundleError {
        BundleError(.networkUnavailable, "\(Printable.text(request.authority ?? "")): \(problem)")
    }
}

/// What the library does.
extension Exchange {
    /// Resumes `waiter` with the head.
    func awaitHead(_ waiter: CheckedContinuation<HTTPResponse, any Error>) {
        let result = state.withLock { state -> Result<HTTPResponse, any Error>? in
            if let head = state.head { return .success(head) }
            if case .failure(let error) = state.end { return .failure(error) }
            state.headWaiter = waiter
            return nil
        }
        if let result { waiter.resume(with: result) }
    }

    /// Resumes `reader` with the next bytes.
    func awaitBytes(_ reader: CheckedContinuation<[UInt8]?, any Error>) {
        let (result, writers) = state.withLock { state -> (Result<[UInt8]?, any Error>?, [DispatchSemaphore]) in
            if let bytes = state.body.takeAll() {
                defer { state.writers = [] }
                return (.success(bytes), state.writers)
            }
            switch state.end {
            case .success: return (.success(nil), [])
            case .failure(let error): return (.failure(error), [])
            case nil:
                state.reader = reader
                return (nil, [])
            }
        }
        for writer in writers { writer.signal() }
        if let result { reader.resume(with: result) }
    }

    /// Nobody waits for the response any more.
    func abandon() {
        let cancels = end(with: .failure(CancellationError()), cancelling: program.canCancel)
        // Not on this thread, which may hold locks.
        if cancels { DispatchQueue(label: "ob_exchange").async { self.cancel() } }
    }

    private func cancel() {
        if let handle = state.withLock(\.handle) { work.call { program.cancel(handle) } }
        state.withLock { $0.isCancelling = false }
        endIfOver()
    }

    /// Does nothing after the end.
    ///
    /// - Parameter cancelling: Whether the program is to be told.
    /// - Returns: Whether it has to be told.
    @discardableResult
    private func end(with result: Result<Void, any Error>, cancelling: Bool = false) -> Bool {
        let (waiters, isCancelling) = state.withLock { state in
            let waiters = state.close(with: result, cancelling: cancelling)
            return (waiters, waiters != nil && state.isCancelling)
        }
        guard let waiters else { return false }
        for writer in waiters.writers { writer.signal() }
        if case .failure(let error) = result { waiters.head?.resume(throwing: error) }
        waiters.reader?.resume(with: result.map { nil })
        endIfOver()
        return isCancelling
    }

    private func endIfOver() {
        if state.withLock(\.isOver) { work.end() }
    }
}

extension Exchange.State {
    fileprivate enum Writing {
        case done, refused, excess
        case wait(DispatchSemaphore)
        case deliver(CheckedContinuation<[UInt8]?, any Error>, [UInt8])
    }

    /// Those who wait for something.
    fileprivate struct Waiters {
        let head: CheckedContinuation<HTTPResponse, any Error>?
        let reader: CheckedContinuation<[UInt8]?, any Error>?
        let writers: [DispatchSemaphore]
    }

    /// Nil after the end.
    fileprivate mutating func close(with result: Result<Void, any Error>, cancelling: Bool) -> Waiters? {
        guard end == nil else { return nil }
        end = result
        if case .failure = result { body.removeAll() }
        isCancelling = cancelling && sending != .waiting
        // One that waits for a thread isn't sent.
        if sending == .waiting { sending = .returned }
        defer { (headWaiter, reader, writers) = (nil, nil, []) }
        return Waiters(head: headWaiter, reader: reader, writers: writers)
    }

    /// Takes as many bytes as there is room for.
    fileprivate mutating func take(_ bytes: inout Slice<UnsafeRawBufferPointer>) -> Writing {
        guard end == nil, head != nil else { return .refused }
        guard !bytes.isEmpty else { return .done }
        guard body.admits(bytes.count) else { return .excess }
        let part = bytes.prefix(Exchange.capacity - body.count)
        guard !part.isEmpty else {
            let room = DispatchSemaphore(value: 0)
            writers.append(room)
            return .wait(room)
        }
        bytes = bytes.dropFirst(part.count)
        body.append(part)
        guard let reader, let chunk = body.takeAll() else { return take(&bytes) }
        self.reader = nil
        return .deliver(reader, chunk)
    }
}

/// The bytes of a body that wait to be read, and how many may follow. A value type.
struct ExchangeBuffer {
    private var bytes: [UInt8] = []
    private var totalCount: Int64 = 0
    /// The length of the whole body; nil when it isn't known.
    var expected: Int64?

    /// The number of bytes that wait.
    var count: Int { bytes.count }

    /// How many bytes are to follow; nil when that isn't known.
    var missing: Int64? { expected.map { $0 - totalCount } }

    /// Whether the length of the body allows further bytes.
    func admits(_ count: Int) -> Bool { missing.map { Int64(count) <= $0 } ?? true }

    mutating func append(_ part: Slice<UnsafeRawBufferPointer>) {
        bytes += part
        totalCount += Int64(part.count)
    }

    /// Nil when there is none.
    mutating func takeAll() -> [UInt8]? {
        guard !bytes.isEmpty else { return nil }
        defer { bytes = [] }
        return bytes
    }

    mutating func removeAll() { bytes = [] }

    /// The length of a response's body (RFC 9112 §6.3); nil when it isn't known.
    static func length(of head: HTTPResponse, to request: HTTPRequest) -> Int64? {
        guard request.method != .head, ![204, 304].contains(head.status.code) else { return 0 }
        return head.headerFields[.contentLength].flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
    }
}
