#if os(Linux)
    import HTTPCore
    import NIOCore

    /// One connection of a loop. An idle one takes no other memory.
    final class LoopConnection {
        /// What the connection is doing.
        enum Phase {
            /// The client may send a request.
            case idle
            /// The client has sent a part of a head.
            case receiving
            /// The client has to take the rest of a response.
            case sending
            /// The last response is sent, and further input is discarded: closing a connection with unread input could
            /// destroy the response on its way (RFC 9112 §9.6).
            case lingering
            /// The connection has left the loop.
            case gone
        }

        let descriptor: Int32
        let permit: AddressLimiter.Permit
        /// Its slot in the loop.
        var slot = 0
        private(set) var phase = Phase.idle
        /// When the phase began, or the last progress in it, in milliseconds of the loop's clock.
        private(set) var phaseStart: Int64
        /// The received bytes that have had no response yet.
        var received: [UInt8] = []
        var output: PendingOutput?
        /// How many bytes the client had not acknowledged at the last check.
        var queuedByteCount = Int32.max
        /// The response that is under way, when somebody wants to know of it.
        var pendingRecord: PendingRecord?
        /// The response that is under way and isn't counted yet.
        var pendingForm: ReadyForm?
        /// Whether it goes on after all others have had their turn.
        var isPostponed = false
        /// Whether the client has ended its side; earlier input may still be unread.
        var hasEnded = false
        /// Whether it is closed once everything is written.
        var isLast = false
        var rate = RequestRate()
        /// Whether the client may send a request, or the rest of one.
        var waitsForRequest: Bool { phase == .idle || phase == .receiving }
        /// The client's IP address, for the log.
        private(set) lazy var client = LogText(StreamSocket(descriptor: descriptor).peerAddress?.ipAddress)

        /// What responses depend on of the connection.
        private(set) lazy var info = StreamSocket(descriptor: descriptor).connectionInfo

        init(_ descriptor: Int32, permit: AddressLimiter.Permit, now: Int64) {
            self.descriptor = descriptor
            self.permit = permit
            phaseStart = now
        }

        /// Waits for the rest of a head that the client has begun, or for a new one.
        ///
        /// - Parameter hasResponded: Whether a response has been sent since.
        func waitForRequest(hasResponded: Bool, at now: Int64) {
            if received.isEmpty {
                enter(.idle, at: now)
            } else if phase != .receiving || hasResponded {
                // Further bytes of the same head don't extend its time limit.
                enter(.receiving, at: now)
            }
        }

        func enter(_ phase: Phase, at now: Int64) {
            self.phase = phase
            phaseStart = now
        }
    }
#endif

#if os(Linux)
    /// A loop's connections by slot number.
    struct ConnectionSlots {
        private var slots: [LoopConnection?] = []
        private var free: [Int] = []

        var isEmpty: Bool { free.count == slots.count }

        /// All connections.
        var all: [LoopConnection] { slots.compactMap(\.self) }

        /// The token of a connection's events: its slot, and its descriptor in case the slot has been reused.
        static func token(slot: Int, descriptor: Int32) -> UInt64 {
            UInt64(UInt32(bitPattern: descriptor)) << 32 | UInt64(slot)
        }

        /// The connection of an event; nil when it is gone.
        subscript(token token: UInt64) -> LoopConnection? {
            let slot = Int(token & 0xFFFF_FFFF)
            guard slots.indices.contains(slot), let connection = slots[slot],
                UInt32(bitPattern: connection.descriptor) == UInt32(token >> 32)
            else { return nil }
            return connection
        }

        /// Adds a connection, and returns its slot.
        mutating func insert(_ connection: LoopConnection) -> Int {
            let slot = free.popLast() ?? slots.count
            if slot == slots.count { slots.append(connection) } else { slots[slot] = connection }
            return slot
        }

        mutating func remove(_ slot: Int) {
            slots[slot] = nil
            free.append(slot)
        }
    }
#endif
