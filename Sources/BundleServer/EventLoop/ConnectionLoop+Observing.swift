#if os(Linux)
    import BundleNetwork
    import BundleServing
    import BundleStore
    import HTTPTypes

    /// Taking note of responses.
    extension ConnectionLoop {
        /// The time, if anybody wants to know it.
        func beginObserving(_ connection: LoopConnection) -> ContinuousClock.Instant? {
            guard let observer = settings.observer else { return nil }
            // Afterwards the connection may be closed, and its number another one's.
            if observer.log != nil { _ = connection.client }
            return .now
        }

        /// - Parameters:
        ///   - bytes: Those that `head` was found in.
        ///   - start: When the request was looked at.
        func observe(
            _ response: ReadyResponse,
            _ form: ReadyResponse.Form,
            to head: RequestHead,
            in bytes: UnsafeRawBufferPointer,
            _ connection: LoopConnection,
            since start: ContinuousClock.Instant
        ) {
            guard let observer = settings.observer else { return }
            let client = observer.log == nil ? .absent : connection.client
            var record = AccessRecord(
                response,
                form,
                to: head,
                in: bytes,
                from: client,
                at: settings.now(),
                since: start
            )
            if connection.output != nil {
                connection.unfinished = UnfinishedResponse(record, since: start)
            } else {
                if connection.phase == .gone { record.byteCount = 0 }
                observer.record(record)
            }
        }

        /// Takes note of the response that was under way, now that all of it is sent, or that no more will be.
        func observeEnd(on connection: LoopConnection) {
            guard let unfinished = connection.unfinished else { return }
            connection.unfinished = nil
            settings.observer?.record(unfinished.finished(byteCount: connection.output?.bodyOffset))
        }

        /// Takes note of a response to what isn't a request.
        func observe(_ response: Response, on connection: LoopConnection) {
            guard let observer = settings.observer else { return }
            var record = AccessRecord(nil, from: connection.client, at: settings.now())
            (record.status, record.byteCount) = (response.head.status.code, response.body.byteCount)
            observer.record(record)
        }
    }
#endif
