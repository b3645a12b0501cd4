import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A thread for work that takes long.
enum WorkThread {
    /// The lowest priority there is.
    private static let niceness: Int32 = 19

    /// Runs `work` on a thread of its own, which ends with it. In the background whatever else the machine has to do goes
    /// first; what a response waits for is not held up by that.
    static func start(_ lane: VariantQueue.Lane, _ work: @escaping @Sendable () -> Void) {
        let thread = Thread {
            #if canImport(Glibc)
                // Linux has a niceness for each thread, whatever POSIX says, and 0 is the one that calls. Only a thread of
                // its own may have it lowered: without privileges there is no way back.
                if lane == .background { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
            #endif
            work()
        }
        thread.qualityOfService = lane == .background ? QualityOfService.background : QualityOfService.userInitiated
        thread.name = "offline-bundles.work"
        thread.start()
    }
}
