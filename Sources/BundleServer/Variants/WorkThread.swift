import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A thread for long work.
enum WorkThread {
    /// The lowest priority there is.
    private static let niceness: Int32 = 19

    /// Runs `work` on a thread of its own, which ends with it. In the background lane everything else on the machine
    /// takes precedence; the prompt lane, for which responses wait, isn't delayed by that.
    static func start(_ lane: VariantQueue.Lane, _ work: @escaping @Sendable () -> Void) {
        let thread = Thread {
            #if canImport(Glibc)
                // On Linux each thread has its own niceness, despite POSIX, and 0 means the calling one. Only a
                // dedicated thread may be lowered: without privileges the niceness can't be raised again.
                if lane == .background { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
            #endif
            work()
        }
        thread.qualityOfService = lane == .background ? QualityOfService.background : QualityOfService.userInitiated
        thread.name = "offline-bundles.work"
        thread.start()
    }
}
