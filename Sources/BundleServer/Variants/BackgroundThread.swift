import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A thread for long work that nobody waits for: whatever else the machine has to do goes first.
enum BackgroundThread {
    /// The lowest priority there is.
    private static let niceness: Int32 = 19

    /// Runs `work` on a thread of its own, which ends with it.
    static func start(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread {
            #if canImport(Glibc)
                // Linux has a niceness for each thread, whatever POSIX says, and 0 is the one that calls. Only a thread of
                // its own may have it lowered: without privileges there is no way back.
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
            #endif
            work()
        }
        thread.qualityOfService = QualityOfService.background
        thread.name = "offline-bundles.background"
        thread.start()
    }
}
