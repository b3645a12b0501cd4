#if os(Linux)
    import BundleModel
    import BundleServing
    import CEpoll
    import Glibc
    import struct BundleStore.ByteSlice

    /// Responses going out.
    extension ConnectionLoop {
        /// From here on a body is sent from where it is, and not copied beside its head.
        private static let maximumCopiedByteCount = 8 << 10

        /// Whether there is room for another response on a connection. There isn't when the client has to take earlier ones
        /// first, or is gone.
        func hasRoom(on connection: LoopConnection) -> Bool {
            if output.isFull { flush(connection) }
            return connection.output == nil && connection.phase != .gone
        }

        /// Sends a response after those that are in the output buffer, where there must be room.
        ///
        /// - Returns: False when its bytes could not be read; nothing of it is sent then.
        func send(_ form: ReadyForm, on connection: LoopConnection, isLast: Bool) -> Bool {
            guard case .http1(let head) = form.head else { return false }
            let isLast = isLast || isDraining
            let copied = form.body.map { $0.count <= Self.maximumCopiedByteCount } == true ? form.body : nil
            let start = output.count
            clock.date.value.withUnsafeBytes { date in
                output.append(head.byteCount) { head.copy(date: date, to: $0) }
            }
            if let part = form.part { part.lines.withUnsafeBytes { output.append($0) } }
            output.append(Self.end(isLast))
            copied?.withUnsafeBytes { output.append($0) }
            // A longer body is copied by the system, which stops where it can't be read.
            if form.body?.hasFaulted == true {
                output.truncate(to: start)
                return false
            }
            if isLast { connection.isLast = true }
            if let body = form.body, copied == nil {
                flush(connection, before: body)
            } else if isLast {
                flush(connection)
            }
            return true
        }

        private static func end(_ isLast: Bool) -> StaticString { isLast ? "Connection: close\r\n\r\n" : "\r\n" }

        /// Sends a response, after which nothing more is answered on the connection. Everything before must be written.
        ///
        /// - Parameter unread: What it answers.
        func finish(_ connection: LoopConnection, with response: Response, for unread: UnsafeRawBufferPointer) {
            let response = RequestHeadScanner.isForHead(unread) ? response.withoutBody : response
            record(response, on: connection)
            connection.isLast = true
            lastBytes(response).withUnsafeBytes { write($0, to: connection) }
        }

        /// A response of the loop's own as it goes out, with which the connection ends.
        func lastBytes(_ response: Response) -> [UInt8] {
            let response = settings.responder.refusal(response, of: nil)
            let head = HTTP1Head(response.head)
            let bytes = clock.date.value.withUnsafeBytes { head.bytes(date: $0) }
            return bytes + Self.end(true).description.utf8 + response.body.array
        }

        /// Writes what is in the output buffer, and a body after it.
        func flush(_ connection: LoopConnection, before body: ByteSlice? = nil) {
            defer { output.removeAll() }
            guard connection.phase != .gone else { return }
            write(output.bytes, before: body, to: connection)
        }

        /// Writes bytes, and a body after them. What the socket doesn't take is kept.
        private func write(
            _ bytes: UnsafeRawBufferPointer,
            before body: ByteSlice? = nil,
            to connection: LoopConnection
        ) {
            let count = bytes.isEmpty ? 0 : PendingOutput.send(bytes, to: connection.descriptor, before: body)
            guard count >= 0 || errno == EAGAIN else { return close(connection, isAborting: true) }
            let taken = max(0, count)
            if taken < bytes.count {
                keep(PendingOutput(Array(bytes[taken...])[...], body: body), on: connection)
            } else if let body {
                write(body, to: connection)
            } else {
                finishOutput(of: connection)
            }
        }

        private func write(_ body: ByteSlice, to connection: LoopConnection) {
            var offset = 0
            switch PendingOutput.write(body, from: &offset, to: connection.descriptor) {
            case .done: finishOutput(of: connection)
            case .blocked: keep(PendingOutput(body: body, from: offset), on: connection)
            case .unfinished:
                keep(PendingOutput(body: body, from: offset), on: connection)
                postpone(connection)
            case .failed: close(connection, isAborting: true)
            }
        }

        private func keep(_ output: PendingOutput, on connection: LoopConnection) {
            connection.output = output
            connection.queuedByteCount = .max
            connection.enter(.sending, at: clock.milliseconds)
        }

        /// Goes on writing, now that the socket has room again.
        func resumeOutput(of connection: LoopConnection) {
            switch connection.output?.write(to: connection.descriptor) {
            case .blocked: connection.enter(.sending, at: clock.milliseconds)
            case .unfinished:
                connection.enter(.sending, at: clock.milliseconds)
                postpone(connection)
            case .failed: close(connection, isAborting: true)
            case .done, nil:
                connection.output = nil
                finishOutput(of: connection)
                guard connection.phase == .sending else { return }
                connection.enter(.idle, at: clock.milliseconds)
                answerReceived(on: connection)
                receive(on: connection)
                if isDraining, connection.waitsForRequest { close(connection) }
            }
        }

        /// After the last response only the client's end is waited for.
        private func finishOutput(of connection: LoopConnection) {
            recordEnd(on: connection)
            guard connection.isLast else { return }
            shutdown(connection.descriptor, Int32(SHUT_WR))
            connection.enter(.lingering, at: clock.milliseconds)
        }
    }
#endif
