#if os(Linux)
    import BundleServing
    import Synchronization
    import SystemPackage

    /// Accepts connections and answers what is plain on them, on one thread: HTTP/1 in clear text. It migrates a
    /// connection on which something is asked that takes more.
    ///
    /// `@unchecked Sendable`: everything but ``drain()``, ``stop()`` and ``takeBack(_:)`` belongs to the thread that ``run()`` is called on.
    final class ConnectionLoop: @unchecked Sendable {
        /// What is to become of the loop.
        private enum Wish: Int {
            case serve
            case drain
            case stop
        }

        private static let wakeupToken = UInt64.max
        /// From here on the tokens are listening sockets', below it connections'.
        private static let firstListenerToken = UInt64.max - 1 << 16
        /// How much is read at once, in bytes, beside what a connection has sent before: some requests of a browser. What
        /// can't be answered yet is kept for each connection.
        private static let inputByteCount = 8 << 10

        let settings: LoopSettings
        let scanner: RequestHeadScanner
        let poll: Poll
        let output = OutputBuffer()
        let input: UnsafeMutableRawBufferPointer
        var core: RequestCore
        var clock: LoopClock
        var connections = ConnectionSlots()
        /// Those that go on after all others have had their turn.
        private var postponed: [LoopConnection] = []
        var isAcceptingPaused = false
        private(set) var isDraining = false
        private let listeners: [Int32]
        private let wakeup: Wakeup
        /// The connections that have come back from channels; nil when the loop takes none any more.
        private let returned = Mutex<[MigratingConnection]?>([])
        /// The raw value of a wish; it only ever rises.
        private let wish = Atomic(Wish.serve.rawValue)
        private var nextSweep: Int64 = 0

        /// - Parameter listeners: Sockets that listen and don't block, to be closed once the loop has let go of them or
        ///   ``run()`` has returned.
        /// - Throws: `Errno` when the system has no more descriptors.
        init(listeners: [Int32], settings: LoopSettings) throws {
            self.settings = settings
            self.listeners = listeners
            poll = try Poll()
            wakeup = try Wakeup()
            scanner = RequestHeadScanner(limits: settings.limits.head)
            core = RequestCore(settings.responder, capacity: settings.readyResponseCount)
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
            _ = returned.withLock { returned in
                defer { returned = nil }
                return returned
            }
            let unfinished = connections.all
            defer { for connection in unfinished { close(connection) } }
            return unfinished.count { $0.output != nil }
        }

        /// Accepts no more connections, closes those on which nothing is going on, and ends with the last response. May be
        /// called from any thread.
        func drain() { change(to: .drain) }

        /// Ends at once. May be called from any thread.
        func stop() { change(to: .stop) }

        /// Takes back a connection that has become a channel. May be called from any thread.
        ///
        /// - Returns: False when the loop is over, or will be soon.
        func takeBack(_ connection: MigratingConnection) -> Bool {
            guard !isWished(.drain) else { return false }
            let isTaken = returned.withLock { returned in
                returned?.append(connection)
                return returned != nil
            }
            if isTaken { wakeup.signal() }
            return isTaken
        }

        /// The connections that have come back since the last time.
        func takeReturned() -> [MigratingConnection] {
            returned.withLock { returned in
                defer { if returned != nil { returned = [] } }
                return returned ?? []
            }
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
                // What has arrived by now is still answered.
                receive(on: connection)
                if connection.waitsForRequest { close(connection) }
            }
        }

        private func handle(_ event: Poll.Event) {
            if event.token == Self.wakeupToken {
                wakeup.clear()
                adoptReturned()
            } else if event.token >= Self.firstListenerToken {
                accept(from: listeners[Int(event.token - Self.firstListenerToken)])
            } else if let connection = connections[token: event.token] {
                if event.hasEnded { connection.hasEnded = true }
                if event.isWritable, connection.output != nil { resumeOutput(of: connection) }
                if event.isReadable, connection.output == nil { receive(on: connection) }
            }
        }

        /// Lets a connection go on after all others have had their turn.
        func postpone(_ connection: LoopConnection) {
            guard !connection.isPostponed else { return }
            connection.isPostponed = true
            postponed.append(connection)
        }

        /// Goes on with those that had more to do than one turn allows: no event tells of them again.
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
            core.forgetOutdated()
            closeOverdue()
            // Tried again with the next sweep if the system still lacks what it takes.
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
