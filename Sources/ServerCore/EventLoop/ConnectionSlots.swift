#if os(Linux)
    /// A loop's connections by number.
    struct ConnectionSlots {
        private var slots: [LoopConnection?] = []
        private var free: [Int] = []

        var isEmpty: Bool { free.count == slots.count }

        /// Those that there are.
        var all: [LoopConnection] { slots.compactMap(\.self) }

        /// What an event of the connection is told by: its number, and its descriptor, in case that the number has another
        /// one by then.
        static func token(slot: Int, descriptor: Int32) -> UInt64 {
            UInt64(UInt32(bitPattern: descriptor)) << 32 | UInt64(slot)
        }

        /// The connection of an event, or nil when it isn't there any more.
        subscript(token token: UInt64) -> LoopConnection? {
            let slot = Int(token & 0xFFFF_FFFF)
            guard slots.indices.contains(slot), let connection = slots[slot],
                UInt32(bitPattern: connection.descriptor) == UInt32(token >> 32)
            else { return nil }
            return connection
        }

        /// Takes a connection in, and returns its number.
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
