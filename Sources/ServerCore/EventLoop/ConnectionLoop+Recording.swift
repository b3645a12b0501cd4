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
