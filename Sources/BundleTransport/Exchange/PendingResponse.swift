import HTTPCore
import HTTPTypes
import NIOCore
import Synchronization

/// A response between the connection that it arrives on and the task that waits for it. It holds at most a little more
/// than ``maximumByteCount`` of the content: the connection isn't read on until that has been consumed. When the origin
/// has closed the connection, NIO reads all that the system has received, at most the `tcp_rmem` of tcp(7).
///
/// Thread-safe; one task at a time may wait.
final class PendingResponse: Sendable {
    /// How much of the content is held, apart from what one more read brings.
    static let maximumByteCount = 64 << 10

    fileprivate struct State {
        var head: ResponseHead?
        var headWaiter: CheckedContinuation<ResponseHead, any Error>?
        /// Each but the last has at least ``maximumByteCount`` bytes. Not joined: the system's whole buffer may be megabytes.
        var content = CircularBuffer<[UInt8]>(initialCapacity: 1)
        var contentByteCount = 0
        var reader: CheckedContinuation<Void, any Error>?
        /// The trailer fields; or why there is no more.
        var end: Result<HTTPFields, any Error>?
    }

    private enum Step {
        case content([UInt8], wasFull: Bool)
        case end(Result<HTTPFields, any Error>)
        case wait
    }

    let connection: ClientConnection
    private let state = Mutex(State())

    init(on connection: ClientConnection) {
        self.connection = connection
    }

    /// Whether nothing more can come.
    var isOver: Bool { state.withLock { $0.end != nil } }

    /// The trailer fields, once the content has been read to its end.
    var trailers: HTTPFields {
        state.withLock { state in
            guard state.content.isEmpty, case .success(let trailers) = state.end else { return [:] }
            return trailers
        }
    }
}

// MARK: - The connection's side

extension PendingResponse {
    /// Adds what one read brought. Returns whether no more may be read until some of it has been consumed.
    func deliver(_ batch: consuming ResponseBatch) -> Bool {
        let (headWaiter, reader, isFull) = state.withLock { state in
            if let head = batch.head { state.head = head }
            state.add(batch.content)
            if let end = batch.end, state.end == nil { state.end = .success(end) }
            let headWaiter = state.head.flatMap { head in state.headWaiter.take().map { ($0, head) } }
            let isReadable = !state.content.isEmpty || state.end != nil
            return (
                headWaiter, isReadable ? state.reader.take() : nil,
                state.end == nil && state.contentByteCount >= Self.maximumByteCount
            )
        }
        if let (waiter, head) = headWaiter { waiter.resume(returning: head) }
        reader?.resume()
        return isFull
    }

    /// Ends the response. What has arrived can still be read.
    func fail(_ error: any Error) {
        let (headWaiter, reader) = state.withLock { state in
            if state.end == nil { state.end = .failure(error) }
            return (state.headWaiter.take(), state.reader.take())
        }
        headWaiter?.resume(throwing: error)
        reader?.resume()
    }
}

// MARK: - The task's side

extension PendingResponse {
    /// Sends the request and waits for the head.
    ///
    /// - Throws: ``ExchangeFailure``; `CancellationError`.
    func head(of request: EncodedRequest) async throws -> ResponseHead {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let isCancelled = state.withLock { state in
                    guard state.end == nil else { return true }
                    state.headWaiter = waiter
                    return false
                }
                if isCancelled { waiter.resume(throwing: CancellationError()) }
                connection.loop.runNow { [self] in connection.start(request, self) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// The content, if all of it has arrived as one part and no trailer fields have; there is nothing more to read then.
    func takeWhole() -> [UInt8]? {
        state.withLock { state in
            guard state.content.count <= 1, case .success(let trailers) = state.end, trailers.isEmpty else {
                return nil
            }
            return state.takeContent() ?? []
        }
    }

    /// The next part of the content; nil at its end.
    func next() async throws -> [UInt8]? {
        while true {
            switch takeStep() {
            case .content(let content, let wasFull):
                if wasFull { connection.loop.runNow { [self] in connection.resumeReading(of: self) } }
                return content
            case .end(let end):
                _ = try end.get()
                return nil
            case .wait: try await waitForMore()
            }
        }
    }

    private func takeStep() -> Step {
        state.withLock { state in
            let wasFull = state.contentByteCount >= Self.maximumByteCount && state.end == nil
            guard let content = state.takeContent() else { return state.end.map(Step.end) ?? .wait }
            return .content(content, wasFull: wasFull && state.contentByteCount < Self.maximumByteCount)
        }
    }

    private func waitForMore() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { reader in
                let isReadable = state.withLock { state in
                    guard state.content.isEmpty, state.end == nil else { return true }
                    state.reader = reader
                    return false
                }
                if isReadable { reader.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the exchange.
    private func cancel() {
        fail(CancellationError())
        connection.loop.runNow { [self] in connection.cancel(self) }
    }

    /// Nobody will read the rest.
    func abandon() {
        // The other direction of a connection with another protocol may still be open.
        guard state.withLock({ $0.end == nil || $0.head?.response.status.code == 101 }) else { return }
        connection.loop.runNow { [self] in connection.abandon(self) }
    }
}

extension PendingResponse.State {
    fileprivate mutating func add(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        contentByteCount += bytes.count
        if let last = content.indices.last, content[last].count < PendingResponse.maximumByteCount {
            content.modify(last) { $0 += bytes }
        } else {
            content.append(bytes)
        }
    }

    fileprivate mutating func takeContent() -> [UInt8]? {
        let first = content.popFirst()
        contentByteCount -= first?.count ?? 0
        return first
    }
}
