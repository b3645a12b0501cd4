#if os(Linux)
    import CEpoll

    /// The number of processors that the process may run on.
    enum ProcessorCount {
        /// The size of the C library's `cpu_set_t`.
        private static let setByteCount = 128

        /// At least 1. The process's affinity counts (sched_setaffinity(2)), not the processors of the machine.
        static var available: Int {
            var set = [UInt8](repeating: 0, count: setByteCount)
            guard sched_getaffinity(0, set.count, &set) == 0 else { return 1 }
            return max(1, set.reduce(0) { $0 + $1.nonzeroBitCount })
        }
    }
#endif
