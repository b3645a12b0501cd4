#if os(Linux)
    import NIOCore

    /// One connection of a loop. Of one that is silent nothing but this is in memory.
    final class LoopConnection {
        /// Whose turn it is.
        enum Phase {
            /// The client may send a request, or not.
            case idle
            /// The client has sent a part of a head.
            case receiving
            /// The client has to take the rest of a response.
            case sending
            /// The last response is sent; what the client still sends is thrown away, because closing a connection on which
            /// something is unread would destroy the response on its way (RFC 9112 §9.6).
            case lingering
            /// It isn't the loop's any more.
            case gone
        }

        let descriptor: Int32
        let seat: ConnectionCensus.Seat
        /// Its number in the loop.
        var slot = 0
        private(set) var phase = Phase.idle
        /// When the phase began, or the last progress in it, in milliseconds of the loop's clock.
        private(set) var phaseStart: Int64
        /// What was received and not yet answered.
        var received: [UInt8] = []
        var output: PendingOutput?
        /// How many bytes the system held for the client at the last look, which it had not acknowledged.
        var queuedByteCount = Int32.max
        /// The response that is under way, when somebody wants to know of it.
        var pendingRecord: PendingRecord?
        /// Whether it goes on after all others have had their turn.
        var isPostponed = false
        /// Whether the client will send nothing more than what can be read.
        var hasEnded = false
        /// Whether it is closed once everything is written.
        var isLast = false
        var rate = RequestRate()
        /// Whether the client may send a request, or the rest of one.
        var waitsForRequest: Bool { phase == .idle || phase == .receiving }
        /// The client's IP address, for the log.
        private(set) lazy var client = LogText(StreamSocket(descriptor: descriptor).peerAddress?.ipAddress)

        init(_ descriptor: Int32, seat: ConnectionCensus.Seat, now: Int64) {
            self.descriptor = descriptor
            self.seat = seat
            phaseStart = now
        }

        /// Waits for the rest of a head that the client has begun, or for a new one.
        ///
        /// - Parameter hasAnswered: Whether something has been answered since.
        func waitForRequest(hasAnswered: Bool, at now: Int64) {
            if received.isEmpty {
                enter(.idle, at: now)
            } else if phase != .receiving || hasAnswered {
                // More of the same head doesn't give it more time.
                enter(.receiving, at: now)
            }
        }

        func enter(_ phase: Phase, at now: Int64) {
            self.phase = phase
            phaseStart = now
        }
    }
#endif
