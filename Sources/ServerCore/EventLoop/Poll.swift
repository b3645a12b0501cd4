#if os(Linux)
    import CEpoll
    import Glibc
    import SystemPackage

    /// Waits for events on many descriptors: epoll(7). For use on one thread.
    final class Poll {
        /// An event of a descriptor.
        struct Event {
            /// The token that the descriptor was registered with.
            let token: UInt64
            fileprivate let flags: UInt32

            /// Whether there may be input to read, or its end.
            var isReadable: Bool {
                flags & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
            }

            /// Whether the client has ended its side, or the connection is gone.
            var hasEnded: Bool { flags & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }

            /// Whether there may be room to write.
            var isWritable: Bool { flags & (EPOLLOUT.rawValue | EPOLLERR.rawValue) != 0 }
        }

        private static let maximumEventCount = 256

        private let descriptor: Int32
        private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: maximumEventCount)

        /// - Throws: `Errno` when the system has no more descriptors.
        init() throws {
            descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard descriptor >= 0 else {
                events.deallocate()
                throw Errno(rawValue: errno)
            }
        }

        deinit {
            close(descriptor)
            events.deallocate()
        }

        /// Watches a connection in both directions, and reports each change once.
        func add(connection: Int32, token: UInt64) throws {
            let flags = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
            try control(EPOLL_CTL_ADD, connection, flags, token)
        }

        /// Watches a descriptor for input, and reports it for as long as there is some. Of several loops that watch the
        /// same descriptor, not all are woken. Does nothing for one that is watched already.
        func add(source: Int32, token: UInt64) throws {
            do {
                try control(EPOLL_CTL_ADD, source, EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue, token)
            } catch Errno.fileExists {}
        }

        /// Stops watching a descriptor. Does nothing for one that isn't watched.
        func remove(_ descriptor: Int32) {
            try? control(EPOLL_CTL_DEL, descriptor, 0, 0)
        }

        private func control(_ operation: Int32, _ target: Int32, _ flags: UInt32, _ token: UInt64) throws {
            var event = epoll_event(events: flags, data: epoll_data_t(u64: token))
            guard epoll_ctl(descriptor, operation, target, &event) == 0 else { throw Errno(rawValue: errno) }
        }

        /// Waits for events, at most for this many milliseconds. Returns the number of events.
        func wait(milliseconds: Int32) -> Int {
            // The only possible failure is an interruption by a signal.
            max(0, Int(epoll_wait(descriptor, events.baseAddress, Int32(Self.maximumEventCount), milliseconds)))
        }

        /// An event of the last wait.
        ///
        /// - Parameter index: Less than the number of events.
        func event(_ index: Int) -> Event {
            let event = events[index]
            return Event(token: event.data.u64, flags: event.events)
        }
    }
#endif

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

#if os(Linux)
    import Foundation
    import Glibc

    /// A loop's clock, read once for all events that arrive together.
    struct LoopClock {
        /// Milliseconds of a monotonic clock.
        private(set) var milliseconds: Int64 = 0
        /// The value of `Date`.
        private(set) var date: DateClock
        /// Whole seconds of that clock.
        var second: UInt64 { UInt64(clamping: milliseconds / 1_000) }

        init(now: @escaping @Sendable () -> Date) {
            date = DateClock(now: now)
            update()
        }

        mutating func update() {
            var time = timespec()
            // A few milliseconds late, but several times cheaper.
            clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
            milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
            date.update()
        }
    }
#endif
