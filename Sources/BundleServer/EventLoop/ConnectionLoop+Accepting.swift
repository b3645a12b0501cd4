#if os(Linux)
    import BundleServing
    import CEpoll
    import Glibc
    import HTTPTypes

    /// Connections coming and going.
    extension ConnectionLoop {
        /// After so many connections, those that are there have their turn.
        private static let maximumAcceptCount = 64

        func accept(from listener: Int32) {
            for _ in 0..<Self.maximumAcceptCount {
                var address = sockaddr_storage()
                let descriptor = withUnsafeMutableBytes(of: &address) { accept(from: listener, telling: $0) }
                guard descriptor >= 0 else {
                    if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) { pauseAccepting() }
                    return
                }
                let peer = withUnsafeBytes(of: &address) { bytes in
                    bytes.baseAddress.flatMap { PeerAddress($0.assumingMemoryBound(to: sockaddr.self)) }
                }
                take(descriptor, from: peer)
            }
        }

        private func accept(from listener: Int32, telling address: UnsafeMutableRawBufferPointer) -> Int32 {
            var size = socklen_t(address.count)
            let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            return accept4(listener, address.baseAddress, &size, flags)
        }

        private func take(_ descriptor: Int32, from address: PeerAddress?) {
            guard let seat = settings.census.enter(from: address) else {
                refuse(descriptor)
                return
            }
            var isOn: Int32 = 1
            // Does nothing for a unix socket. Answers go out whole, so waiting to fill a packet only delays their ends.
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
            let connection = LoopConnection(descriptor, seat: seat, now: clock.milliseconds)
            connection.slot = connections.insert(connection)
            do {
                let token = ConnectionSlots.token(slot: connection.slot, descriptor: descriptor)
                try poll.add(connection: descriptor, token: token)
            } catch {
                close(connection)
            }
        }

        private func refuse(_ descriptor: Int32) {
            lastBytes(Overload.connections.answer).withUnsafeBytes {
                _ = PendingOutput.send($0, to: descriptor)
            }
            shutdown(descriptor, Int32(SHUT_WR))
            // Unread, it would make the system end the connection with a reset, and the client lose the answer.
            _ = recv(descriptor, input.baseAddress, input.count, 0)
            Glibc.close(descriptor)
        }

        /// Closes a connection.
        ///
        /// - Parameter isAborting: Whether with a reset, so that the client doesn't take what it has for everything, and the
        ///   system doesn't keep what it won't take.
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

        /// Hands a connection on with what was received on it.
        func handOn(_ connection: LoopConnection, _ received: [UInt8]) {
            poll.remove(connection.descriptor)
            release(connection)
            settings.handOn(
                HandedConnection(descriptor: connection.descriptor, received: received, seat: connection.seat)
            )
        }

        private func release(_ connection: LoopConnection) {
            connection.enter(.gone, at: clock.milliseconds)
            connection.output = nil
            connection.received = []
            connections.remove(connection.slot)
        }

        /// Ends what takes too long.
        func closeOverdue() {
            let limits = settings.limits
            for connection in connections.all {
                let elapsed = clock.milliseconds - connection.phaseStart
                switch connection.phase {
                case .idle where elapsed > limits.idle.milliseconds: close(connection)
                case .receiving where elapsed > limits.headTime.milliseconds:
                    finish(connection, with: Overload.requestTime.answer)
                case .sending where elapsed > limits.writeStall.milliseconds: close(connection, isAborting: true)
                case .lingering where elapsed > Self.lingerMilliseconds: close(connection)
                default: break
                }
            }
        }

        /// As long as nginx waits for what a client still sends.
        private static let lingerMilliseconds: Int64 = 5_000
    }
#endif
