import BundleServing
import BundleStore
import HTTPCore
import Synchronization

/// The body of a response that is arriving: any number of clients read it, each at its own speed, while it is stored.
///
/// Clients read what has arrived from the spool, in memory or a file. When it can't be spooled any more, because it is
/// too long or the disk is full, only a window of its latest bytes is kept: then the origin is read as fast as the fastest
/// client reads, and a client that is behind the window is cut off. The latest chunk is held back until the next one or
/// the end, so that a client that has everything finds it in the cache. Thread-safe; one task appends.
final class SharedBody: Sendable {
    /// How far the origin may be ahead of the fastest client where it is bounded, in bytes, apart from the latest chunk.
    static let windowByteCount = 1 << 20
    /// The most bytes that a client gets at a time: chunks are joined, so that the cost depends on the number of bytes.
    static let maximumReadByteCount = 64 << 10
    /// The most bytes that a client gets first: of many who come at once, the last gets its beginning soon.
    static let firstReadByteCount = 16 << 10

    /// How the body ended.
    enum End: Sendable {
        case complete
        case failed(any Error)
    }

    fileprivate struct Client {
        /// The position of the next byte.
        var offset: Int
        /// Where the client's range ends; nil for the end of the body.
        let end: Int?
        /// The most bytes that it gets at a time.
        var readByteCount = SharedBody.firstReadByteCount
        var waiting: CheckedContinuation<Void, Never>?
    }

    fileprivate struct State {
        var byteCount = 0
        /// How many bytes clients may have: all but the latest chunk.
        var visibleByteCount = 0
        /// How many bytes are in the spool, if the rest isn't.
        var spooledByteCount: Int?
        /// The latest bytes that aren't in the spool, and their position.
        var window: [[UInt8]] = []
        var windowStart = 0
        var end: End?
        var clients: [UInt64: Client] = [:]
        var lastNumber: UInt64 = 0
        var appending: CheckedContinuation<Void, Never>?
        /// Who waits for the end.
        var ending: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// Who is resumed when the state is unlocked.
        var woken: [CheckedContinuation<Void, Never>] = []
    }

    /// Reading a file waits for the disk.
    private static let readers = WorkerPool(maximumCount: 4)

    let spool: CachedBodyWriter
    private let state = Mutex(State())

    init(_ spool: CachedBodyWriter) {
        self.spool = spool
    }

    /// Changes the state, and then wakes whom that concerns. Not under the lock: the cancellation of a task takes it, and
    /// holds a lock of the task then, which waking it takes.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, woken) = state.withLock { state in
            let result = body(&state)
            defer { state.woken = [] }
            return (result, state.woken)
        }
        for continuation in woken { continuation.resume() }
        return result
    }

    /// The number of bytes that have arrived.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// How the body ended; nil while it arrives.
    var end: End? { state.withLock { $0.end } }

    // MARK: - The fetch

    /// Takes a chunk, which isn't empty.
    ///
    /// - Parameter isSpooled: Whether the spool has taken it, too. Once false, it stays so.
    func append(_ chunk: [UInt8], isSpooled: Bool) {
        change { state in
            if !isSpooled { state.keepInWindow(chunk) }
            state.visibleByteCount = state.byteCount
            state.byteCount += chunk.count
            state.wakeClients()
        }
    }

    /// Waits until the fastest client is near; at once without any client.
    func waitForRoom() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { state in
                    state.appending = continuation
                    if state.hasRoom || Task.isCancelled { state.wake(state.appending.take()) }
                }
            }
        } onCancel: {
            change { state in state.wake(state.appending.take()) }
        }
    }

    /// Ends the body; the first call counts.
    func finish(_ end: End) {
        change { state in
            guard state.end == nil else { return }
            state.end = end
            state.visibleByteCount = state.byteCount
            state.wakeClients()
            state.woken += state.ending.values
            state.ending = [:]
            if state.isSpoolUseless { spool.discard() }
        }
    }

    // MARK: - Clients

    /// Waits for the end, or until the task is cancelled.
    func waitForEnd() async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { state in
                    if state.end != nil || Task.isCancelled { return state.wake(continuation) }
                    state.ending[number] = continuation
                }
            }
        } onCancel: {
            change { state in state.wake(state.ending.removeValue(forKey: number)) }
        }
    }

    /// Adds a client.
    ///
    /// - Parameter range: What it reads; nil for everything.
    /// - Returns: Its number.
    func join(_ range: Range<Int>?) -> UInt64 {
        change { state in
            state.lastNumber += 1
            state.clients[state.lastNumber] = Client(offset: range?.lowerBound ?? 0, end: range?.upperBound)
            state.wakeFetch()
            return state.lastNumber
        }
    }

    /// Removes a client; a read in progress throws `CancellationError`.
    func leave(_ number: UInt64) {
        change { state in
            state.wake(state.clients.removeValue(forKey: number)?.waiting)
            state.wakeFetch()
            if state.isSpoolUseless { spool.discard() }
        }
    }

    /// The next bytes for a client, nil at the end.
    ///
    /// - Throws: What broke the body off; `CancellationError` when the client has left or its task is cancelled.
    func next(_ number: UInt64) async throws -> [UInt8]? {
        while true {
            switch change({ $0.read(number) }) {
            case .spooled(let range): return try await spooled(range)
            case .bytes(let bytes): return bytes
            case .end:
                leave(number)
                return nil
            case .failed(let error):
                leave(number)
                throw error
            case .wait: await waitForBytes(number)
            }
        }
    }

    /// - Throws: What broke the body off, if its spool has been discarded since.
    private func spooled(_ range: Range<Int>) async throws -> [UInt8] {
        do {
            guard spool.isInFile(range) else { return try spool.bytes(in: range) }
            return try await Self.readers.run { [spool] in Result { try spool.bytes(in: range) } }.get()
        } catch {
            if case .failed(let cause) = end { throw cause }
            throw error
        }
    }

    private func waitForBytes(_ number: UInt64) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { state in
                    guard state.isWaiting(number) else { return state.wake(continuation) }
                    state.clients[number]?.waiting = continuation
                }
            }
        } onCancel: {
            leave(number)
        }
    }
}

extension SharedBody.State {
    /// What a client can read.
    fileprivate enum Readable: Sendable {
        case spooled(Range<Int>)
        case bytes([UInt8])
        case end
        case failed(any Error)
        case wait
    }

    fileprivate var hasRoom: Bool {
        // Nothing is dropped before the first client has come.
        guard let fastest = clients.values.map(\.offset).max() else { return spooledByteCount == nil }
        return hasRoom(at: fastest)
    }

    /// Whether the origin is read on when the fastest client is here. The latest chunk doesn't count: no client can read it yet, and
    /// a transport may give one that is longer than the window.
    private func hasRoom(at offset: Int) -> Bool { visibleByteCount - offset < SharedBody.windowByteCount }

    /// Whether nobody will read what has been spooled: the body broke off, and those who read it have gone.
    fileprivate var isSpoolUseless: Bool {
        if case .failed = end { clients.isEmpty } else { false }
    }

    fileprivate func isWaiting(_ number: UInt64) -> Bool {
        guard let client = clients[number] else { return false }
        return client.offset >= visibleByteCount && end == nil
    }

    fileprivate mutating func wakeClients() {
        for (number, client) in clients where client.waiting != nil && client.offset < visibleByteCount || end != nil {
            wake(clients[number]?.waiting.take())
        }
    }

    /// Wakes a task once the state is unlocked.
    fileprivate mutating func wake(_ continuation: CheckedContinuation<Void, Never>?) {
        if let continuation { woken.append(continuation) }
    }

    fileprivate mutating func wakeFetch() {
        if appending != nil, hasRoom { wake(appending.take()) }
    }

    fileprivate mutating func keepInWindow(_ chunk: [UInt8]) {
        if spooledByteCount == nil { (spooledByteCount, windowStart) = (byteCount, byteCount) }
        window.append(chunk)
        let latestByteCount = byteCount - visibleByteCount
        let needed = SharedBody.windowByteCount + latestByteCount + chunk.count
        while let first = window.first, byteCount + chunk.count - windowStart - first.count >= needed {
            windowStart += window.removeFirst().count
        }
    }

    fileprivate mutating func read(_ number: UInt64) -> Readable {
        guard let client = clients[number] else { return .failed(CancellationError()) }
        let limit = min(client.end ?? .max, visibleByteCount, client.offset + client.readByteCount)
        if client.offset == client.end { return .end }
        guard client.offset < limit else {
            return switch end {
            case .complete: .end
            case .failed(let error): .failed(error)
            case nil: .wait
            }
        }
        clients[number]?.readByteCount = SharedBody.maximumReadByteCount
        let spoolEnd = spooledByteCount ?? .max
        let readable: Readable
        if client.offset < spoolEnd {
            let range = client.offset..<min(limit, spoolEnd)
            clients[number]?.offset = range.upperBound
            readable = .spooled(range)
        } else {
            guard client.offset >= windowStart else { return .failed(SharedBody.tooSlow) }
            let bytes = windowBytes(client.offset..<limit)
            clients[number]?.offset += bytes.count
            readable = .bytes(bytes)
        }
        // The others are where they were.
        if appending != nil, hasRoom(at: clients[number]?.offset ?? 0) { wake(appending.take()) }
        return readable
    }

    private func windowBytes(_ range: Range<Int>) -> [UInt8] {
        var (bytes, position): ([UInt8], Int) = ([], windowStart)
        for block in window {
            defer { position += block.count }
            let start = max(range.lowerBound, position)
            let end = min(range.upperBound, position + block.count)
            if start < end { bytes += block[(start - position)..<(end - position)] }
        }
        return bytes
    }
}

extension SharedBody {
    fileprivate static let tooSlow = BundleError(
        .storeUnavailable,
        "the body could not be stored for a client that reads it more slowly than others; check the free space"
    )
}

/// What one client reads of a ``SharedBody``. When the client drops it, the client has left.
struct SharedBodyReader: AsyncSequence, Sendable {
    /// Deallocated with the client's last reference.
    fileprivate final class Registration: Sendable {
        let body: SharedBody
        let number: UInt64
        /// Keeps the fetch going.
        private let waiter: FetchWaiter

        init(_ body: SharedBody, _ range: Range<Int>?, _ waiter: FetchWaiter) {
            self.body = body
            self.waiter = waiter
            number = body.join(range)
        }

        deinit { body.leave(number) }
    }

    private let registration: Registration

    /// - Parameters:
    ///   - range: What the client reads; nil for everything.
    ///   - waiter: Held as long as the client reads.
    init(_ body: SharedBody, range: Range<Int>? = nil, waiter: FetchWaiter) {
        registration = Registration(body, range, waiter)
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(registration: registration) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let registration: Registration

        func next() async throws -> [UInt8]? { try await registration.body.next(registration.number) }
    }
}
