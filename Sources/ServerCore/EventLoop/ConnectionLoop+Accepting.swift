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
            guard let seat = settings.census.enter(from: address) else {
                refuse(descriptor)
                return
            }
            var isOn: Int32 = 1
            // No effect on a Unix socket. Responses are written whole, so waiting to fill a packet would only delay
            // their ends.
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
            serve(LoopConnection(descriptor, seat: seat, now: clock.milliseconds))
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
            let connection = LoopConnection(descriptor, seat: returned.seat, now: clock.milliseconds)
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
