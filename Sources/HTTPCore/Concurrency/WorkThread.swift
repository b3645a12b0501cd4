import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A thread for long work.
package enum WorkThread {
    /// How urgent the work is.
    package enum Priority: CaseIterable, Sendable {
        /// Responses wait for it.
        case prompt
        /// Everything else on the machine takes precedence.
        case background
    }

    /// The lowest priority there is.
    private static let niceness: Int32 = 19

    /// Runs `work` on a thread of its own, which ends with it.
    package static func start(_ priority: Priority, _ work: @escaping @Sendable () -> Void) {
        let thread = Thread {
            #if canImport(Glibc)
                // On Linux each thread has its own niceness, despite POSIX, and 0 means the calling one. Only a
                // dedicated thread may be lowered: without privileges the niceness can't be raised again.
                if priority == .background { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
            #endif
            work()
        }
        thread.qualityOfService = priority == .background ? QualityOfService.background : QualityOfService.userInitiated
        thread.name = "offline-bundles.work"
        thread.start()
    }

    /// Has the calling thread wait, which must be one of these: none of them belongs to a task that could be suspended.
    package static func pause(_ duration: Duration) {
        Thread.sleep(forTimeInterval: duration / .seconds(1))
    }
}
