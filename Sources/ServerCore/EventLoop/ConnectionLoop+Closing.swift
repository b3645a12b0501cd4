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
                    seat: connection.seat,
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
