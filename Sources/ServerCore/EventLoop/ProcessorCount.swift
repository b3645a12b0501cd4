#if os(Linux)
    import CEpoll

    /// How many processors the process may run on.
    enum ProcessorCount {
        /// As many as the C library knows of, in bits.
        private static let setByteCount = 128

        /// At least 1. What the process is held to counts (sched_setaffinity(2)), and not what the machine has.
        static var available: Int {
            var set = [UInt8](repeating: 0, count: setByteCount)
            guard sched_getaffinity(0, set.count, &set) == 0 else { return 1 }
            return max(1, set.reduce(0) { $0 + $1.nonzeroBitCount })
        }
    }
#endif
