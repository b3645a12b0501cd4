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
