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
        var waiters: [PoolWaiter] = []
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
        let (waiter, isRefused) = state.withLock { state -> (PoolWaiter?, Bool) in
            guard !state.isShutDown else { return (nil, true) }
            if let index = state.waiters.firstIndex(where: { $0.key == connection.key }) {
                return (state.waiters.remove(at: index), false)
            }
            // Another origin waits for its place.
            guard state.waiters.isEmpty else { return (nil, true) }
            state.origins[connection.key]?.idle.append(connection)
            return (nil, false)
        }
        waiter?.resume(with: .success(.kept(connection)))
        if isRefused { connection.close() }
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
            state.origins[connection.key]?.idle.removeAll { $0 === connection }
            return state.open.removeValue(forKey: ObjectIdentifier(connection)) != nil
        }
        if isKnown { giveBack(connection.key) }
    }

    /// Gives back the permission to open a connection.
    func giveBack(_ key: ConnectionKey) {
        let (waiter, evicted) = state.withLock { state in
            state.count -= 1
            state.origins[key]?.count -= 1
            if state.origins[key]?.count == 0 { state.origins[key] = nil }
            return takeForWaiter(&state)
        }
        evicted?.closeNow()
        waiter?.resume(with: .success(.new))
    }

    /// Closes all connections. Returns when they are closed.
    func shutDown() async {
        let (connections, waiters) = state.withLock { state in
            state.isShutDown = true
            defer { state.waiters = [] }
            return (Array(state.open.values), state.waiters)
        }
        for waiter in waiters { waiter.resume(with: .failure(ConnectionProblem.shutDown)) }
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
        return state.origins[key]?.idle.remove(at: index)
    }

    /// Nil when no connection may be opened now.
    private func room(for key: ConnectionKey, _ state: inout State) -> Room? {
        let count = state.origins[key]?.count ?? 0
        guard count < limits.connectionsPerOrigin else { return nil }
        if count < limits.connections - state.count { return .free }
        let idle = state.origins.first { $0.key != key && !$0.value.idle.isEmpty }
        guard let other = idle?.key else { return nil }
        return .after(state.origins[other, default: Origin()].idle.removeFirst())
    }

    private func takeForWaiter(_ state: inout State) -> (PoolWaiter?, evicted: ClientConnection?) {
        for index in state.waiters.indices {
            guard let room = room(for: state.waiters[index].key, &state) else { continue }
            let waiter = state.waiters.remove(at: index)
            state.origins[waiter.key, default: Origin()].count += 1
            state.count += 1
            return (waiter, room.evicted)
        }
        return (nil, nil)
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
            end(number, CancellationError())
        }
    }

    private func enqueue(
        _ continuation: CheckedContinuation<ConnectionPlace, any Error>,
        _ key: ConnectionKey,
        _ number: UInt64
    ) {
        let timer = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(limits.connecting)) {
            [weak self] () -> Void in self?.end(number, ConnectionProblem.notInTime)
        }
        let waiter = PoolWaiter(number: number, key: key, continuation: continuation, timer: timer)
        let result = Result {
            try state.withLock { state -> (ConnectionPlace?, evicted: ClientConnection?) in
                // One may have become free in the meantime.
                let taken = try take(key, on: nil, isNew: false, &state)
                if taken.0 == nil { state.waiters.append(waiter) }
                return taken
            }
        }
        switch result {
        case .failure(let error): waiter.resume(with: .failure(error))
        case .success(let taken):
            taken.evicted?.closeNow()
            if let place = taken.0 { waiter.resume(with: .success(place)) }
        }
        // The cancellation may have come before the waiter.
        if Task.isCancelled { end(number, CancellationError()) }
    }

    private func end(_ number: UInt64, _ error: any Error) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.resume(with: .failure(error))
    }
}

extension ClientConnection {
    /// Closes the connection from any thread.
    func closeNow() { loop.runNow { self.close() } }
}
