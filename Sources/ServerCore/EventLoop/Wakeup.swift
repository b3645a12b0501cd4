#if os(Linux)
    import CEpoll
    import Glibc
    import SystemPackage

    /// Wakes a loop from another thread: eventfd(2). Thread-safe.
    final class Wakeup: Sendable {
        let descriptor: Int32

        /// - Throws: `Errno` when the system has no more descriptors.
        init() throws {
            descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        }

        deinit {
            close(descriptor)
        }

        func signal() {
            eventfd_write(descriptor, 1)
        }

        /// Resets the signal.
        func clear() {
            var count: eventfd_t = 0
            eventfd_read(descriptor, &count)
        }
    }
#endif
