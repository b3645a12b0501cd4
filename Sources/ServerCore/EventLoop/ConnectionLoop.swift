#if os(Linux)
    import HTTPCore
    import Synchronization
    import SystemPackage

    /// Accepts connections and responds to plain HTTP/1 requests in clear text, on one thread. A connection with any
    /// other request is migrated.
    ///
    /// `@unchecked Sendable`: everything but ``drain()``, ``stop()``, ``takeBack(_:)`` and ``probe()`` is used only on the
    /// thread that ``run()`` is called on; these four use an atomic and a lock alone.
    final class ConnectionLoop: @unchecked Sendable {
        /// What the loop has been asked to do.
        private enum Wish: Int {
            case serve
            case drain
            case stop
        }

        /// What other threads have left for the loop.
        private struct Inbox {
            /// The connections that channels have returned.
            var connections: [MigratingConnection] = []
            /// Those who wait for a turn of the loop.
            var probes: [CheckedContinuation<Void, Never>] = []
        }

        private static let wakeupToken = UInt64.max
        /// Tokens from here on belong to listening sockets, those below to connections.
        private static let firstListenerToken = UInt64.max - 1 << 16
        /// How many bytes are read at a time, in addition to those kept from before: several requests of a browser.
        /// Requests that have no response yet are kept for each connection.
        private static let inputByteCount = 8 << 10

        let settings: LoopSettings
        let scanner: RequestHeadScanner
        let poll: Poll
        let output = OutputBuffer()
        let input: UnsafeMutableRawBufferPointer
        /// Counts the responses; nil when they aren't counted.
        let tallies: TallySheet?
        var core: RequestCore
        var clock: LoopClock
        var connections = ConnectionSlots()
        /// The connections that continue after all others have had their turn.
        private var postponed: [LoopConnection] = []
        var isAcceptingPaused = false
        private(set) var isDraining = false
        private let listeners: [Int32]
        private let wakeup: Wakeup
        /// Nil once the loop has ended.
        private let inbox = Mutex<Inbox?>(Inbox())
        /// The raw value of a wish; it only increases.
        private let wish = Atomic(Wish.serve.rawValue)
        private var nextSweep: Int64 = 0

        /// - Parameter listeners: Non-blocking listening sockets. Close them once `onAcceptingEnd` has been called or
        ///   ``run()`` has returned.
        /// - Throws: `Errno` when the system has no more descriptors.
        init(listeners: [Int32], settings: LoopSettings) throws {
            self.settings = settings
            self.listeners = listeners
            poll = try Poll()
            wakeup = try Wakeup()
            scanner = RequestHeadScanner(limits: settings.limits.head)
            core = RequestCore(settings.responder, capacity: settings.readyResponseCount)
            tallies = settings.recorder.ledger?.makeSheet()
            clock = LoopClock(now: settings.now)
            input = .allocate(byteCount: Self.inputByteCount + settings.limits.head.byteCount, alignment: 16)
            try poll.add(source: wakeup.descriptor, token: Self.wakeupToken)
            try watchListeners()
        }

        deinit {
            input.deallocate()
        }

        /// Serves until it is drained or stopped.
        ///
        /// - Returns: How many connections were stopped with a response under way.
        func run() -> Int {
            while !isOver {
                let count = poll.wait(milliseconds: postponed.isEmpty ? settings.sweepInterval : 0)
                clock.update()
                for index in 0..<count { handle(poll.event(index)) }
                goOn()
                if clock.milliseconds >= nextSweep { sweep() }
                obey()
            }
            let left = inbox.withLock { inbox in
                defer { inbox = nil }
                return inbox
            }
            for probe in left?.probes ?? [] { probe.resume() }
            let unfinished = connections.all
            defer { for connection in unfinished { close(connection) } }
            return unfinished.count { $0.output != nil }
        }

        /// Accepts no more connections, closes idle ones, and ends after the last response. May be called from any
        /// thread.
        func drain() { change(to: .drain) }

        /// Ends immediately. May be called from any thread.
        func stop() { change(to: .stop) }

        /// Takes back a connection from a channel. May be called from any thread.
        ///
        /// - Returns: False when the loop is ending or has ended.
        func takeBack(_ connection: MigratingConnection) -> Bool {
            guard !isWished(.drain) else { return false }
            let isTaken = inbox.withLock { inbox in
                inbox?.connections.append(connection)
                return inbox != nil
            }
            if isTaken { wakeup.signal() }
            return isTaken
        }

        /// Returns once the loop has had a turn, or has ended. May be called from any thread.
        func probe() async {
            await withCheckedContinuation { continuation in
                let isRunning = inbox.withLock { inbox in
                    inbox?.probes.append(continuation)
                    return inbox != nil
                }
                if isRunning { wakeup.signal() } else { continuation.resume() }
            }
        }

        private func emptyInbox() {
            let left = inbox.withLock { inbox in
                defer { if inbox != nil { inbox = Inbox() } }
                return inbox
            }
            guard let left else { return }
            for probe in left.probes { probe.resume() }
            for connection in left.connections { adopt(connection) }
        }

        private func change(to wish: Wish) {
            self.wish.max(wish.rawValue, ordering: .releasing)
            wakeup.signal()
        }

        private func isWished(_ wish: Wish) -> Bool { self.wish.load(ordering: .acquiring) >= wish.rawValue }

        private var isOver: Bool { isWished(.stop) || isDraining && connections.isEmpty }

        private func obey() {
            guard !isDraining, isWished(.drain) else { return }
            isDraining = true
            for listener in listeners { poll.remove(listener) }
            settings.onAcceptingEnd()
            for connection in connections.all where connection.output == nil {
                // Requests that have arrived by now still get responses.
                receive(on: connection)
                if connection.waitsForRequest { close(connection) }
            }
        }

        private func handle(_ event: Poll.Event) {
            if event.token == Self.wakeupToken {
                wakeup.clear()
                emptyInbox()
            } else if event.token >= Self.firstListenerToken {
                accept(from: listeners[Int(event.token - Self.firstListenerToken)])
            } else if let connection = connections[token: event.token] {
                if event.hasEnded { connection.hasEnded = true }
                if event.isWritable, connection.output != nil { resumeOutput(of: connection) }
                if event.isReadable, connection.output == nil { receive(on: connection) }
            }
        }

        /// Lets a connection continue after all others have had their turn.
        func postpone(_ connection: LoopConnection) {
            guard !connection.isPostponed else { return }
            connection.isPostponed = true
            postponed.append(connection)
        }

        /// Continues postponed connections, for which no further event is reported.
        private func goOn() {
            guard !postponed.isEmpty else { return }
            let connections = postponed
            postponed = []
            for connection in connections { connection.isPostponed = false }
            for connection in connections where connection.phase != .gone {
                if connection.output != nil { resumeOutput(of: connection) } else { receive(on: connection) }
            }
        }

        private func sweep() {
            nextSweep = clock.milliseconds + Int64(settings.sweepInterval)
            core.sweep()
            closeOverdue()
            // Retried with the next sweep if the system still lacks resources.
            if isAcceptingPaused, !isDraining, (try? watchListeners()) != nil { isAcceptingPaused = false }
        }

        private func watchListeners() throws {
            for (index, listener) in listeners.enumerated() {
                try poll.add(source: listener, token: Self.firstListenerToken + UInt64(index))
            }
        }

        /// Stops accepting until the next sweep: the system has no more descriptors, and the socket stays ready.
        func pauseAccepting() {
            isAcceptingPaused = true
            for listener in listeners { poll.remove(listener) }
        }
    }
#endif

#if os(Linux)
    import HTTPCore
    import CEpoll
    import Glibc
    import HTTPTypes

    /// Accepting connections, and adopting returned ones.
    extension ConnectionLoop {
        /// How many connections are accepted before open ones get their turn.
        private static let maximumAcceptCount = 64

        func accept(from listener: Int32) {
            for _ in 0..<Self.maximumAcceptCount {
                var address = sockaddr_storage()
                let descriptor = withUnsafeMutableBytes(of: &address) { accept(from: listener, telling: $0) }
                guard descriptor >= 0 else { return failAccepting(errno) }
                let peer = withUnsafeBytes(of: &address) { bytes in
                    bytes.baseAddress.flatMap { PeerAddress($0.assumingMemoryBound(to: sockaddr.self)) }
                }
                take(descriptor, from: peer)
            }
        }

        private func failAccepting(_ code: Int32) {
            guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) else { return }
            pauseAccepting()
            settings.failures.report(code)
        }

        private func accept(from listener: Int32, telling address: UnsafeMutableRawBufferPointer) -> Int32 {
            var size = socklen_t(address.count)
            let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            return accept4(listener, address.baseAddress, &size, flags)
        }

        private func take(_ descriptor: Int32, from address: PeerAddress?) {
            guard let permit = settings.limiter.acquire(for: address) else {
                refuse(descriptor)
                return
            }
            var isOn: Int32 = 1
            // No effect on a Unix socket. Responses are written whole, so waiting to fill a packet would only delay
            // their ends.
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
            serve(LoopConnection(descriptor, permit: permit, now: clock.milliseconds))
        }

        private func serve(_ connection: LoopConnection) {
            connection.slot = connections.insert(connection)
            do {
                let token = ConnectionSlots.token(slot: connection.slot, descriptor: connection.descriptor)
                try poll.add(connection: connection.descriptor, token: token)
            } catch {
                close(connection)
            }
        }

        /// Serves a connection that a channel has returned.
        func adopt(_ returned: MigratingConnection) {
            guard let descriptor = returned.take() else { return }
            let connection = LoopConnection(descriptor, permit: returned.permit, now: clock.milliseconds)
            connection.rate = returned.rate
            serve(connection)
            guard isDraining else { return }
            receive(on: connection)
            if connection.waitsForRequest { close(connection) }
        }

        private func refuse(_ descriptor: Int32) {
            lastBytes(Overload.connections.response).withUnsafeBytes {
                _ = PendingOutput.send($0, to: descriptor)
            }
            shutdown(descriptor, Int32(SHUT_WR))
            // Unread input would make the system reset the connection, and the client lose the response.
            _ = recv(descriptor, input.baseAddress, input.count, 0)
            Glibc.close(descriptor)
        }
    }
#endif

#if os(Linux)
    import HTTPCore
    import Glibc
    import HTTPTypes

    /// Closing and migrating connections.
    extension ConnectionLoop {
        /// Closes a connection.
        ///
        /// - Parameter isAborting: Whether to close with a reset, so that the client can't take a partial response for
        ///   a complete one, and the system keeps no unsent bytes.
        func close(_ connection: LoopConnection, isAborting: Bool = false) {
            guard connection.phase != .gone else { return }
            release(connection)
            if isAborting {
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    connection.descriptor,
                    SOL_SOCKET,
                    SO_LINGER,
                    &linger,
                    socklen_t(MemoryLayout<Glibc.linger>.size)
                )
            }
            Glibc.close(connection.descriptor)
        }

        /// Migrates a connection with the bytes received on it.
        ///
        /// - Parameter begun: The request that they begin with, if the responder has begun it.
        func migrate(_ connection: LoopConnection, _ received: [UInt8], _ begun: BegunRequest?) {
            poll.remove(connection.descriptor)
            release(connection)
            settings.migrate(
                MigratingConnection(
                    descriptor: connection.descriptor,
                    received: received,
                    begun: begun,
                    permit: connection.permit,
                    rate: connection.rate,
                    home: { [weak self] in self?.takeBack($0) ?? false }
                )
            )
        }

        private func release(_ connection: LoopConnection) {
            connection.enter(.gone, at: clock.milliseconds)
            recordEnd(on: connection)
            connection.output = nil
            connection.received = []
            connections.remove(connection.slot)
        }

        /// Closes connections whose time limit has passed.
        func closeOverdue() {
            let limits = settings.limits
            for connection in connections.all {
                if connection.phase == .sending { lookForProgress(on: connection) }
                let elapsed = clock.milliseconds - connection.phaseStart
                switch connection.phase {
                case .idle where elapsed > limits.idle.milliseconds: close(connection)
                case .receiving where elapsed > limits.headTime.milliseconds:
                    connection.received.withUnsafeBytes {
                        finish(connection, with: Overload.requestTime.response, for: $0)
                    }
                case .sending where elapsed > limits.writeStall.milliseconds: close(connection, isAborting: true)
                case .lingering where elapsed > ServerLimits.linger.milliseconds: close(connection)
                default: break
                }
            }
        }

        /// The system reports room in a socket only once a third of its buffer is free, which may be megabytes. A slow
        /// client's progress shows earlier in the number of unacknowledged bytes.
        private func lookForProgress(on connection: LoopConnection) {
            var count: Int32 = 0
            guard ioctl(connection.descriptor, UInt(TIOCOUTQ), &count) == 0 else { return }
            if count < connection.queuedByteCount { connection.enter(.sending, at: clock.milliseconds) }
            connection.queuedByteCount = count
        }
    }
#endif
