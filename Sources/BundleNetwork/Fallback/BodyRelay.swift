import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

/// Takes the body of a response from the fetch that stores it to the client that caused the fetch, on the way.
///
/// The client begins to be answered once ``startByteCount`` bytes have come: a body that ends or breaks before is better
/// answered as a whole. It gets the last of it when the body has been stored, so that who has everything finds it in the
/// cache. One client and one fetch; thread-safe.
final class BodyRelay: Sendable {
    /// Up to how many bytes are held back, for the case that the origin breaks off.
    static let startByteCount = 64 << 10
    /// About how many bytes wait for the client at most.
    static let maximumBufferedByteCount = 1 << 20
    /// The size up to which chunks are joined, so that the cost depends on the number of bytes and not of chunks.
    static let blockByteCount = 64 << 10

    /// How the body ends.
    enum End: Sendable {
        /// It has been stored: what the client doesn't have yet is taken from there.
        case stored(ByteSlice)
        /// The client gets what waits for it, and that was all.
        case complete
        /// The client gets what waits for it, and learns that there would have been more.
        case failed(any Error)
    }

    fileprivate struct State {
        var head: HTTPResponse?
        var isConcluded = false
        /// What waits for the client. Any two neighbours exceed ``BodyRelay/blockByteCount`` together, so there are few.
        var blocks: [[UInt8]] = []
        /// The most recent chunk: it is held back until the next one, or the end of the body, is known.
        var last: [UInt8] = []
        var bufferedByteCount = 0
        var deliveredByteCount = 0
        /// Whether a chunk was left out because the client didn't take the earlier ones.
        var isBehind = false
        var end: End?
        var isClosed = false
        var starting: CheckedContinuation<HTTPResponse?, Never>?
        var reading: CheckedContinuation<Void, Never>?
        var writing: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Waits until the client can be answered, or for ``conclude()``.
    ///
    /// - Returns: The head; nil when the fetch is over without need of the relay.
    func start() async -> HTTPResponse? {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.head != nil || state.isConcluded { return continuation.resume(returning: state.head) }
                state.starting = continuation
            }
        }
    }

    /// Says that the fetch is over. Without effect on a body that is being passed on.
    func conclude() {
        state.withLock { state in
            state.isConcluded = true
            state.starting.take()?.resume(returning: state.head)
        }
    }

    /// Lets the client be answered now, however little has come.
    func begin(_ head: HTTPResponse) {
        state.withLock { $0.begin(head) }
    }

    /// Takes a chunk. When there is no room for it, only a body that has been stored can still be given to the client.
    func offer(_ chunk: [UInt8], of head: HTTPResponse) {
        state.withLock { state in
            guard !state.isClosed, !state.isBehind else { return }
            guard state.hasRoom else { return state.isBehind = true }
            state.append(chunk)
            if state.bufferedByteCount > Self.startByteCount { state.begin(head) }
        }
    }

    /// Waits until the client has taken so much that there is room for a chunk, or has gone away.
    func waitForRoom() async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.hasRoom || state.isClosed { return continuation.resume() }
                state.writing = continuation
            }
        }
    }

    /// Whether the client has gone away.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether the client can't be given everything but from a body that has been stored.
    var isBehind: Bool { state.withLock { $0.isBehind } }

    /// Ends the body; the first call counts.
    func finish(_ end: End) {
        state.withLock { state in
            if state.end == nil { state.end = end }
            state.reading.take()?.resume()
        }
    }

    /// The client has gone away; nothing more is kept for it.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.drop()
            state.reading.take()?.resume()
            state.writing.take()?.resume()
        }
    }

    /// The next chunk for the client, nil at the end.
    ///
    /// - Throws: What broke the body off; `CancellationError` after ``close()``.
    func next() async throws -> [UInt8]? {
        while true {
            if let result = state.withLock({ $0.take() }) { return try result.get() }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    state.withLock { state in
                        if state.isReadable { return continuation.resume() }
                        state.reading = continuation
                    }
                }
            } onCancel: {
                close()
            }
        }
    }
}

extension BodyRelay.State {
    fileprivate var hasRoom: Bool {
        // One is held back and so makes no room before the next has come.
        blocks.isEmpty || bufferedByteCount < BodyRelay.maximumBufferedByteCount
    }

    fileprivate var isReadable: Bool { isClosed || !blocks.isEmpty || end != nil }

    fileprivate mutating func begin(_ head: HTTPResponse) {
        guard self.head == nil else { return }
        self.head = head
        starting.take()?.resume(returning: head)
    }

    fileprivate mutating func append(_ chunk: [UInt8]) {
        guard !chunk.isEmpty else { return }
        release()
        last = chunk
        bufferedByteCount += chunk.count
        if isReadable { reading.take()?.resume() }
    }

    fileprivate mutating func drop() {
        blocks = []
        last = []
    }

    /// Releases the chunk that was held back.
    private mutating func release() {
        guard !last.isEmpty else { return }
        // Only the count is taken: a second reference to the block would make appending copy it.
        if let count = blocks.last?.count, count + last.count <= BodyRelay.blockByteCount {
            blocks[blocks.count - 1] += last
        } else {
            blocks.append(last)
        }
        last = []
    }

    /// Nil when the client has to wait.
    fileprivate mutating func take() -> Result<[UInt8]?, any Error>? {
        if isClosed { return .failure(CancellationError()) }
        if case .stored(let body) = end { return .success(takePart(of: body)) }
        if end != nil { release() }
        if !blocks.isEmpty { return .success(takeBlock()) }
        return switch end {
        case .complete: .success(nil)
        case .failed(let error): .failure(error)
        case .stored, nil: nil
        }
    }

    private mutating func takeBlock() -> [UInt8] {
        let block = blocks.removeFirst()
        bufferedByteCount -= block.count
        deliveredByteCount += block.count
        if hasRoom { writing.take()?.resume() }
        return block
    }

    private mutating func takePart(of body: ByteSlice) -> [UInt8]? {
        drop()
        guard deliveredByteCount < body.count else { return nil }
        let end = min(body.count, deliveredByteCount + ByteSliceChunks.maximumByteCount)
        let part = body[deliveredByteCount..<end].array
        deliveredByteCount = end
        return part
    }
}
