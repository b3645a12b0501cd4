#if os(Linux)
    import BundleModel
    import HTTPCore
    import Glibc
    import HTTPTypes

    /// Receiving requests.
    extension ConnectionLoop {
        /// How far the requests in the received bytes have been processed.
        private enum Progress {
            /// All complete requests have responses; they took this many bytes.
            case responded(Int)
            /// The client must take responses first; the requests before took this many bytes.
            case blocked(Int)
            /// The connection has left the loop, or gets no more responses.
            case over
        }

        /// How many reads one turn allows.
        private static let maximumReadCount = 8

        /// Reads and responds until no input is left, the client must take responses first, or other connections get
        /// their turn.
        func receive(on connection: LoopConnection) {
            for _ in 0..<Self.maximumReadCount {
                guard connection.output == nil, connection.phase != .gone else { return }
                guard connection.phase != .lingering else { return discardInput(of: connection) }
                let before = connection.received.count
                let count = read(from: connection)
                guard count > 0 else {
                    if count == 0 || errno != EAGAIN { close(connection) }
                    return
                }
                let isAllRead = before + count < input.count
                respondToRequests(in: before + count, on: connection)
                // Later input causes a new event, but the client's end may have been reported already.
                if isAllRead, !connection.hasEnded { return }
            }
            postpone(connection)
        }

        /// Reads after the bytes received before. Returns zero at the end, less on failure.
        private func read(from connection: LoopConnection) -> Int {
            connection.received.withUnsafeBytes { input.copyMemory(from: $0) }
            let offset = connection.received.count
            return receive(from: connection, into: UnsafeMutableRawBufferPointer(rebasing: input[offset...]))
        }

        private func receive(from connection: LoopConnection, into target: UnsafeMutableRawBufferPointer) -> Int {
            while true {
                let count = recv(connection.descriptor, target.baseAddress, target.count, 0)
                // The event isn't repeated, so an interruption must not end the reading.
                if count >= 0 || errno != EINTR { return count }
            }
        }

        /// Processes the requests received while the client took a response.
        func respondToReceived(on connection: LoopConnection) {
            guard !connection.received.isEmpty else { return }
            connection.received.withUnsafeBytes { input.copyMemory(from: $0) }
            respondToRequests(in: connection.received.count, on: connection)
        }

        private func respondToRequests(in byteCount: Int, on connection: LoopConnection) {
            let bytes = UnsafeRawBufferPointer(rebasing: input[..<byteCount])
            switch response(bytes, on: connection) {
            case .over: return
            case .responded(let count):
                keep(bytes[count...], of: connection)
                if connection.output == nil {
                    connection.waitForRequest(hasResponded: count > 0, at: clock.milliseconds)
                }
            case .blocked(let count):
                keep(bytes[count...], of: connection)
            }
        }

        /// An incomplete head is the exception: usually nothing is left, and nothing was kept.
        private func keep(_ rest: Slice<UnsafeRawBufferPointer>, of connection: LoopConnection) {
            if rest.isEmpty {
                if !connection.received.isEmpty { connection.received = [] }
            } else {
                connection.received = Array(rest)
            }
        }

        private func response(_ bytes: UnsafeRawBufferPointer, on connection: LoopConnection) -> Progress {
            var position = 0
            while position < bytes.count {
                let unread = UnsafeRawBufferPointer(rebasing: bytes[position...])
                let start = beginRecording(connection)
                switch scanner.scan(unread) {
                case .incomplete:
                    return rest(after: position, on: connection)
                case .malformed(let problem):
                    return end(connection, with: problem.response, for: unread, at: position)
                case .http2:
                    return migrate(unread, of: connection, at: position)
                case .complete(let head):
                    guard head.isPlain else { return migrate(unread, of: connection, at: position) }
                    let outcome = core.respond(to: head.view(of: unread), as: .http1, on: connection.info) {
                        () throws(MalformedRequest) in try HTTPRequest(head, in: unread)
                    }
                    switch outcome {
                    case .waiting(let begun): return migrate(unread, of: connection, at: position, begun)
                    case .malformed(let problem):
                        return end(connection, with: problem.response, for: unread, at: position)
                    case .ready(let form):
                        if let progress = send(form, to: head, in: unread, at: &position, on: connection, since: start)
                        {
                            return progress
                        }
                    case .single(let response, let source):
                        guard let form = ReadyForm(response, source, as: .http1) else {
                            return migrate(unread, of: connection, at: position)
                        }
                        if let progress = send(form, to: head, in: unread, at: &position, on: connection, since: start)
                        {
                            return progress
                        }
                    }
                }
            }
            return rest(after: position, on: connection)
        }

        /// Sends the response to a request, and moves past the request. Returns the progress that ends the turn; nil to
        /// continue with the next request.
        private func send(
            _ form: ReadyForm,
            to head: RequestHead,
            in unread: UnsafeRawBufferPointer,
            at position: inout Int,
            on connection: LoopConnection,
            since start: ContinuousClock.Instant?
        ) -> Progress? {
            guard hasRoom(on: connection) else { return connection.phase == .gone ? .over : .blocked(position) }
            guard connection.rate.count(inSecond: clock.second, limit: settings.limits.requestsPerSecond) else {
                return end(connection, with: Overload.requests.response, for: unread, at: position)
            }
            guard send(form, on: connection, isLast: head.closesConnection) else {
                return migrate(unread, of: connection, at: position)
            }
            position += head.byteCount
            count(form, on: connection)
            if let start { record(form, to: head, in: unread, on: connection, since: start) }
            guard connection.phase != .gone, !connection.isLast else { return .over }
            return connection.output == nil ? nil : .blocked(position)
        }

        /// Writes the responses to all complete requests.
        private func rest(after position: Int, on connection: LoopConnection) -> Progress {
            flush(connection)
            guard connection.phase != .gone else { return .over }
            return connection.output == nil ? .responded(position) : .blocked(position)
        }

        /// Sends a last response that says why the connection ends, once everything before is written.
        private func end(
            _ connection: LoopConnection,
            with response: Response,
            for unread: UnsafeRawBufferPointer,
            at position: Int
        ) -> Progress {
            let progress = rest(after: position, on: connection)
            guard case .responded = progress else { return progress }
            finish(connection, with: response, for: unread)
            return .over
        }

        /// Migrates the connection, once everything is written.
        private func migrate(
            _ unread: UnsafeRawBufferPointer,
            of connection: LoopConnection,
            at position: Int,
            _ begun: BegunRequest? = nil
        ) -> Progress {
            let progress = self.rest(after: position, on: connection)
            guard case .responded = progress else { return progress }
            migrate(connection, Array(unread), begun)
            return .over
        }

        private func discardInput(of connection: LoopConnection) {
            for _ in 0..<Self.maximumReadCount {
                let count = receive(from: connection, into: input)
                guard count <= 0 else { continue }
                if count == 0 || errno != EAGAIN { close(connection) }
                return
            }
            postpone(connection)
        }
    }
#endif

#if os(Linux)
    import BundleModel
    import HTTPCore
    import HTTPTypes

    /// Recording requests and responses.
    extension ConnectionLoop {
        /// The start time of a request; nil when requests aren't recorded.
        func beginRecording(_ connection: LoopConnection) -> ContinuousClock.Instant? {
            guard settings.recorder.isOn else { return nil }
            // Afterwards the connection may be closed, and its descriptor number reused.
            if settings.recorder.needsTexts { _ = connection.client }
            return .now
        }

        /// Counts a response that is sent; once it has ended, if it is under way.
        func count(_ form: ReadyForm, on connection: LoopConnection) {
            guard let tallies else { return }
            if connection.output != nil {
                connection.pendingForm = form
            } else {
                let byteCount = connection.phase == .gone ? 0 : form.bodyByteCount
                tallies.tally(of: form).add(byteCount: byteCount, form.saving)
            }
        }

        /// - Parameters:
        ///   - bytes: The bytes that `head` was scanned from.
        ///   - start: When the request was scanned.
        func record(
            _ form: ReadyForm,
            to head: RequestHead,
            in bytes: UnsafeRawBufferPointer,
            on connection: LoopConnection,
            since start: ContinuousClock.Instant
        ) {
            let client = settings.recorder.needsTexts ? connection.client : .absent
            var record = AccessRecord(head, in: bytes, from: client, at: clock.date.now())
            (record.status, record.byteCount, record.source) = (form.status, form.bodyByteCount, form.source)
            if connection.output != nil {
                connection.pendingRecord = PendingRecord(record, since: start)
            } else {
                if connection.phase == .gone { record.byteCount = 0 }
                record.duration = start.duration(to: .now)
                settings.recorder.record(record)
            }
        }

        /// Records the response under way, once it has been sent or has failed.
        func recordEnd(on connection: LoopConnection) {
            if let form = connection.pendingForm {
                connection.pendingForm = nil
                let byteCount = connection.output?.bodyOffset ?? form.bodyByteCount
                tallies?.tally(of: form).add(byteCount: byteCount, form.saving)
            }
            guard let pending = connection.pendingRecord else { return }
            connection.pendingRecord = nil
            settings.recorder.record(pending.finished(byteCount: connection.output?.bodyOffset))
        }

        /// Records the response to a malformed request.
        func record(_ response: Response, on connection: LoopConnection) {
            settings.recorder.record(refusal: response, in: tallies, from: connection.client, at: clock.date.now())
        }
    }
#endif
