#if os(Linux)
    import BundleServing
    import BundleStore
    import CEpoll
    import Glibc

    /// Answers going out.
    extension ConnectionLoop {
        /// From here on a body is sent from where it is, and not copied beside its head.
        private static let maximumCopiedByteCount = 8 << 10

        /// Sends a prepared answer after those that are in the output buffer.
        func send(
            _ answer: FastAnswer,
            on connection: LoopConnection,
            isLast: Bool
        ) {
            let isLast = isLast || isDraining
            let body = answer.form == .whole ? answer.prepared.body : nil
            let copied = body.map { $0.count <= Self.maximumCopiedByteCount } == true ? body : nil
            let headByteCount = answer.headByteCount
            if output.room < headByteCount + Self.end(isLast).utf8CodeUnitCount + (copied?.count ?? 0) {
                flush(connection)
            }
            guard connection.phase != .gone else { return }
            clock.date.withUnsafeBytes { date in
                output.append(headByteCount) { answer.copyHead(date: date, to: $0) }
            }
            output.append(Self.end(isLast))
            copied?.withUnsafeBytes { output.append($0) }
            if isLast { connection.isLast = true }
            if let body, copied == nil { flush(connection, before: body) } else if isLast { flush(connection) }
        }

        private static func end(_ isLast: Bool) -> StaticString { isLast ? "Connection: close\r\n\r\n" : "\r\n" }

        /// Sends an answer, after which nothing more is answered on the connection. Everything before must be written.
        func finish(_ connection: LoopConnection, with answer: HTTPAnswer) {
            observe(answer, on: connection)
            let bytes = lastBytes(answer)
            connection.isLast = true
            bytes.withUnsafeBytes { output.append($0) }
            flush(connection)
        }

        /// An answer of the loop's own as it goes out, with which the connection ends.
        func lastBytes(_ answer: HTTPAnswer) -> [UInt8] {
            let head = HeadEncoder(settings.files.fields.decorated(answer.head, for: nil, isSecure: false))
            var bytes = head.bytes
            bytes.replaceSubrange(head.date, with: clock.date)
            return bytes + Self.end(true).description.utf8 + answer.body.array
        }

        /// Writes what is in the output buffer, and a body after it. What the socket doesn't take is kept.
        func flush(_ connection: LoopConnection, before body: ByteSlice? = nil) {
            guard connection.phase != .gone else { return output.removeAll() }
            let bytes = output.bytes
            defer { output.removeAll() }
            let count = bytes.isEmpty ? 0 : PendingOutput.send(bytes, to: connection.descriptor, before: body)
            guard count >= 0 || errno == EAGAIN else { return close(connection, isAborting: true) }
            let taken = max(0, count)
            if taken < bytes.count {
                keep(PendingOutput(Array(bytes[taken...])[...], body: body), on: connection)
            } else if let body {
                var offset = 0
                switch PendingOutput.write(body, from: &offset, to: connection.descriptor) {
                case .done: finishOutput(of: connection)
                case .blocked: keep(PendingOutput(body: body, from: offset), on: connection)
                case .unfinished:
                    keep(PendingOutput(body: body, from: offset), on: connection)
                    postponed.append(connection)
                case .failed: close(connection, isAborting: true)
                }
            } else {
                finishOutput(of: connection)
            }
        }

        private func keep(_ output: PendingOutput, on connection: LoopConnection) {
            connection.output = output
            connection.enter(.sending, at: clock.milliseconds)
        }

        /// Goes on writing, now that the socket has room again.
        func resumeOutput(of connection: LoopConnection) {
            switch connection.output?.write(to: connection.descriptor) {
            case .blocked: connection.enter(.sending, at: clock.milliseconds)
            case .unfinished:
                connection.enter(.sending, at: clock.milliseconds)
                postponed.append(connection)
            case .failed: close(connection, isAborting: true)
            case .done, nil:
                connection.output = nil
                finishOutput(of: connection)
                guard connection.phase == .sending else { return }
                connection.enter(.idle, at: clock.milliseconds)
                answerReceived(on: connection)
                receive(on: connection)
                if isDraining, connection.output == nil { close(connection) }
            }
        }

        /// After the last answer only the client's end is waited for.
        private func finishOutput(of connection: LoopConnection) {
            guard connection.isLast else { return }
            shutdown(connection.descriptor, Int32(SHUT_WR))
            connection.enter(.lingering, at: clock.milliseconds)
        }
    }
#endif
