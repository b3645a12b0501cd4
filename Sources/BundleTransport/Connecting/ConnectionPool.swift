import NIOCore
import NIOPosix
import Synchronization

/// The connections to all origins: those that are kept for later requests, and how many there are.
///
/// An origin may have as many connections as still remain for others, up to a limit (A. K. Choudhury and E. L. Hahne,
/// “Dynamic Queue Length Thresholds for Shared-Memory Packet Switches”, 1998): however many slow origins there are,
/// another one gets its connection.
///
/// Thread-safe.
final class ConnectionPool: Sendable {
    private struct Origin {
        /// In the order in which they became idle.
        var idle: [ClientConnection] = []
        /// With those that are being opened.
        var count = 0
        var waiters: [PoolWaiter] = []
    }

    /// Room for another connection.
    private enum Room {
        case free
        /// When this one, which is kept, is closed.
        case after(ClientConnection)

        var evicted: ClientConnection? {
            if case .after(let connection) = self { connection } else { nil }
        }
    }

    private struct State {
        var origins: [ConnectionKey: Origin] = [:]
        var open: [ObjectIdentifier: ClientConnection] = [:]
        var count = 0
        /// The number of idle connections of all origins.
        var idleCount = 0
        /// The number of waiters of all origins.
        var waiterCount = 0
        var lastNumber: UInt64 = 0
        var isShutDown = false
    }

    let limits: TransportLimits
    private let state = Mutex(State())

    init(_ limits: TransportLimits) {
        self.limits = limits
    }

    /// A place for a request. Waits for one up to the limit of connecting.
    ///
    /// - Parameters:
    ///   - loop: The event loop of the calling task, whose connections are preferred.
    ///   - isNew: Whether only the permission to open a connection is wanted.
    /// - Throws: ``ConnectionProblem``; `CancellationError`.
    func place(for key: ConnectionKey, on loop: (any EventLoop)?, isNew: Bool) async throws -> ConnectionPlace {
        let (place, evicted) = try state.withLock { state in try take(key, on: loop, isNew: isNew, &state) }
        evicted?.closeNow()
        if let place { return place }
        return try await wait(for: key)
    }

    /// Takes back a connection that waits for a request.
    func release(_ connection: ClientConnection) {
        let key = connection.key
        let (waiter, refused) = state.withLock { state -> (PoolWaiter?, ClientConnection?) in
            guard !state.isShutDown else { return (nil, connection) }
            if let waiter = removeWaiter(of: key, nil, &state) { return (waiter.giving(.kept(connection)), nil) }
            state.origins[key, default: Origin()].idle.append(connection)
            state.idleCount += 1
            // With less than half of all connections, only the limit of an origin lets a request wait.
            guard state.waiterCount > 0, state.count >= limits.connections / 2 else { return (nil, nil) }
            return takeForWaiter(&state)
        }
        refused?.closeNow()
        waiter?.resume()
    }

    /// Registers a connection that was opened.
    func add(_ connection: ClientConnection) {
        let isShutDown = state.withLock { state in
            state.open[ObjectIdentifier(connection)] = connection
            return state.isShutDown
        }
        if isShutDown { connection.closeNow() }
    }

    /// Forgets a connection that is closed.
    func remove(_ connection: ClientConnection) {
        let isKnown = state.withLock { state in
            if let index = state.origins[connection.key]?.idle.firstIndex(where: { $0 === connection }) {
                _ = removeIdle(at: index, of: connection.key, &state)
            }
            return state.open.removeValue(forKey: ObjectIdentifier(connection)) != nil
        }
        if isKnown { giveBack(connection.key) }
    }

    /// Gives back the permission to open a connection.
    func giveBack(_ key: ConnectionKey) {
        let (waiter, evicted) = state.withLock { state in
            state.count -= 1
            state.origins[key]?.count -= 1
            dropIfUnused(key, &state)
            return takeForWaiter(&state)
        }
        evicted?.closeNow()
        waiter?.resume()
    }

    /// Closes all connections. Returns when they are closed.
    func shutDown() async {
        let (connections, waiters) = state.withLock { state in
            state.isShutDown = true
            let waiters = state.origins.values.flatMap(\.waiters)
            for key in state.origins.keys { state.origins[key]?.waiters = [] }
            state.waiterCount = 0
            return (Array(state.open.values), waiters)
        }
        for waiter in waiters { waiter.failing(ConnectionProblem.shutDown).resume() }
        for connection in connections {
            connection.loop.runNow { connection.fail(ConnectionProblem.shutDown) }
            try? await connection.closed?.get()
        }
    }
}

// MARK: - Under the lock

extension ConnectionPool {
    private func take(
        _ key: ConnectionKey,
        on loop: (any EventLoop)?,
        isNew: Bool,
        _ state: inout State
    ) throws -> (ConnectionPlace?, evicted: ClientConnection?) {
        if state.isShutDown { throw ConnectionProblem.shutDown }
        if !isNew, let connection = takeKept(key, on: loop, &state) { return (.kept(connection), nil) }
        guard let room = room(for: key, &state) else { return (nil, nil) }
        state.origins[key, default: Origin()].count += 1
        state.count += 1
        return (.new, room.evicted)
    }

    /// The one that was used last, preferably of the same event loop.
    private func takeKept(_ key: ConnectionKey, on loop: (any EventLoop)?, _ state: inout State) -> ClientConnection? {
        guard let idle = state.origins[key]?.idle, let last = idle.indices.last else { return nil }
        let index = loop.flatMap { loop in idle.lastIndex { $0.loop === loop } } ?? last
        return removeIdle(at: index, of: key, &state)
    }

    private func removeIdle(at index: Int, of key: ConnectionKey, _ state: inout State) -> ClientConnection? {
        guard let connection = state.origins[key]?.idle.remove(at: index) else { return nil }
        state.idleCount -= 1
        return connection
    }

    /// Nil when no connection may be opened now.
    private func room(for key: ConnectionKey, _ state: inout State) -> Room? {
        let count = state.origins[key]?.count ?? 0
        guard count < limits.connectionsPerOrigin else { return nil }
        let free = limits.connections - state.count
        if count < free { return .free }
        // Idle connections of others make room, but within the same share: a slow origin would take over the connections
        // of others one by one as they become idle.
        let idle = state.idleCount - (state.origins[key]?.idle.count ?? 0)
        guard count < free + idle else { return nil }
        let other = state.origins.first { $0.key != key && !$0.value.idle.isEmpty }
        return other.flatMap { removeIdle(at: 0, of: $0.key, &state) }.map(Room.after)
    }

    /// The next waiter that may open a connection.
    private func takeForWaiter(_ state: inout State) -> (PoolWaiter?, evicted: ClientConnection?) {
        guard state.waiterCount > 0 else { return (nil, nil) }
        for (key, origin) in state.origins where !origin.waiters.isEmpty {
            guard let room = room(for: key, &state), let waiter = removeWaiter(of: key, nil, &state) else { continue }
            state.origins[key, default: Origin()].count += 1
            state.count += 1
            return (waiter.giving(.new), room.evicted)
        }
        return (nil, nil)
    }

    /// Removes a waiter of an origin: the first one, or the one with a number.
    private func removeWaiter(of key: ConnectionKey, _ number: UInt64?, _ state: inout State) -> PoolWaiter? {
        let index = state.origins[key]?.waiters.firstIndex { number == nil || $0.number == number }
        guard let index, let waiter = state.origins[key]?.waiters.remove(at: index) else { return nil }
        state.waiterCount -= 1
        dropIfUnused(key, &state)
        return waiter
    }

    private func dropIfUnused(_ key: ConnectionKey, _ state: inout State) {
        guard let origin = state.origins[key], origin.count == 0, origin.waiters.isEmpty else { return }
        state.origins[key] = nil
    }
}

// MARK: - Waiting

extension ConnectionPool {
    private func wait(for key: ConnectionKey) async throws -> ConnectionPlace {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enqueue($0, key, number) }
        } onCancel: {
            end(number, key, CancellationError())
        }
    }

    private func enqueue(
        _ continuation: CheckedContinuation<ConnectionPlace, any Error>,
        _ key: ConnectionKey,
        _ number: UInt64
    ) {
        let timer = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(limits.connecting)) {
            [weak self] () -> Void in self?.end(number, key, ConnectionProblem.notInTime)
        }
        let waiter = PoolWaiter(number: number, continuation: continuation, timer: timer)
        let result = Result {
            try state.withLock { state -> (ConnectionPlace?, evicted: ClientConnection?) in
                // One may have become free in the meantime.
                let taken = try take(key, on: nil, isNew: false, &state)
                guard taken.0 == nil else { return taken }
                state.origins[key, default: Origin()].waiters.append(waiter)
                state.waiterCount += 1
                return taken
            }
        }
        switch result {
        case .failure(let error): waiter.failing(error).resume()
        case .success(let taken):
            taken.evicted?.closeNow()
            if let place = taken.0 { waiter.giving(place).resume() }
        }
        // The cancellation may have come before the waiter.
        if Task.isCancelled { end(number, key, CancellationError()) }
    }

    private func end(_ number: UInt64, _ key: ConnectionKey, _ error: any Error) {
        let waiter = state.withLock { state in removeWaiter(of: key, number, &state) }
        waiter?.failing(error).resume()
    }
}

extension ClientConnection {
    /// Closes the connection from any thread.
    func closeNow() { loop.runNow { self.close() } }
}

/// A request that waits for a place in the pool. It is resumed once, with the result that it was given.
struct PoolWaiter: Sendable {
    let number: UInt64
    private let continuation: CheckedContinuation<ConnectionPlace, any Error>
    private let timer: Scheduled<Void>
    private var result: Result<ConnectionPlace, any Error> = .failure(ConnectionProblem.shutDown)

    init(number: UInt64, continuation: CheckedContinuation<ConnectionPlace, any Error>, timer: Scheduled<Void>) {
        self.number = number
        self.continuation = continuation
        self.timer = timer
    }

    /// The waiter with a place as its result.
    func giving(_ place: ConnectionPlace) -> PoolWaiter { with(.success(place)) }

    /// The waiter with an error as its result.
    func failing(_ error: any Error) -> PoolWaiter { with(.failure(error)) }

    /// Ends the wait. Not under a lock.
    func resume() {
        timer.cancel()
        continuation.resume(with: result)
    }

    private func with(_ result: Result<ConnectionPlace, any Error>) -> PoolWaiter {
        var waiter = self
        waiter.result = result
        return waiter
    }
}

/// What a request gets from the pool.
enum ConnectionPlace: Sendable {
    /// A connection that was kept.
    case kept(ClientConnection)
    /// The permission to open a connection, which is to be given back when none is made of it.
    case new
}
