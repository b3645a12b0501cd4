#if os(Linux)
    import BundleModel
    import HTTPCore
    import CEpoll
    import Glibc

    /// Sending responses.
    extension ConnectionLoop {
        /// A longer body is sent from the store without copying it next to its head.
        private static let maximumCopiedByteCount = 8 << 10

        /// Whether there is room for another response on a connection: false when the client has to take earlier ones
        /// first, or has disconnected.
        func hasRoom(on connection: LoopConnection) -> Bool {
            if output.isFull { flush(connection) }
            return connection.output == nil && connection.phase != .gone
        }

        /// Sends a response after those in the output buffer, which must have room.
        ///
        /// - Returns: False when its content could not be read; then nothing of it is sent.
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
            // A longer body is copied by the system, which stops at bytes that can't be read.
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

        /// Sends the last response on a connection. Everything before must be written.
        ///
        /// - Parameter unread: The request that it responds to.
        func finish(_ connection: LoopConnection, with response: Response, for unread: UnsafeRawBufferPointer) {
            let response = RequestHeadScanner.isForHead(unread) ? response.withoutBody : response
            record(response, on: connection)
            connection.isLast = true
            lastBytes(response).withUnsafeBytes { write($0, to: connection) }
        }

        /// The bytes of a response by the loop itself, which ends the connection.
        func lastBytes(_ response: Response) -> [UInt8] {
            let response = settings.responder.refusal(response, of: nil)
            let head = HTTP1Head(response.head)
            let bytes = clock.date.value.withUnsafeBytes { head.bytes(date: $0) }
            return bytes + Self.end(true).description.utf8 + response.body.array
        }

        /// Writes the output buffer's bytes, and a body after them.
        func flush(_ connection: LoopConnection, before body: ByteSlice? = nil) {
            defer { output.removeAll() }
            guard connection.phase != .gone else { return }
            write(output.bytes, before: body, to: connection)
        }

        /// Writes bytes, and a body after them. Keeps what the socket doesn't take.
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
                write(body, from: taken - bytes.count, to: connection)
            } else {
                finishOutput(of: connection)
            }
        }

        private func write(_ body: ByteSlice, from start: Int, to connection: LoopConnection) {
            var offset = start
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

        /// Continues writing once the socket has room again.
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
                respondToReceived(on: connection)
                receive(on: connection)
                if isDraining, connection.waitsForRequest { close(connection) }
            }
        }

        /// Ends the response under way; after the last one, waits for the client to close.
        private func finishOutput(of connection: LoopConnection) {
            recordEnd(on: connection)
            guard connection.isLast else { return }
            shutdown(connection.descriptor, Int32(SHUT_WR))
            connection.enter(.lingering, at: clock.milliseconds)
        }
    }
#endif

#if os(Linux)
    import Glibc

    /// Where a loop assembles what it sends to one connection: the responses to all requests that arrived together.
    final class OutputBuffer {
        /// With this many bytes it is written first: what a client doesn't take has to be kept.
        private static let batchByteCount = 8 << 10
        /// Room for a batch and one more response with the longest head.
        private static let capacity = 64 << 10

        private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        private(set) var count = 0

        deinit {
            memory.deallocate()
        }

        /// The bytes in the buffer.
        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

        /// Whether it has to be written before the next response is appended.
        var isFull: Bool { count >= Self.batchByteCount }

        /// Appends `byteCount` bytes, which `write` writes; there must be room for them.
        @inline(__always)
        func append(_ byteCount: Int, _ write: (UnsafeMutableRawPointer) -> Void) {
            precondition(byteCount <= memory.count - count, "the response is too long for the output buffer")
            guard let base = memory.baseAddress else { return }
            write(base + count)
            count += byteCount
        }

        /// Appends bytes, for which there must be room.
        @inline(__always)
        func append(_ bytes: UnsafeRawBufferPointer) {
            guard let source = bytes.baseAddress else { return }
            append(bytes.count) { $0.copyMemory(from: source, byteCount: bytes.count) }
        }

        @inline(__always)
        func append(_ text: StaticString) {
            append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }

        /// Removes everything after the first `count` bytes.
        func truncate(to count: Int) { self.count = min(self.count, count) }

        func removeAll() {
            count = 0
        }
    }
#endif
