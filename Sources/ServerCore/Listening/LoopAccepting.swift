#if os(Linux)
    import BundleModel
    import Foundation
    import NIOPosix
    import Synchronization
    import SystemPackage

    /// Accepts connections in loops, each on a thread of its own. A loop migrates connections with requests that it
    /// doesn't handle.
    final class LoopAccepting: Accepting {
        /// How many ready responses all loops keep together: about 16 MB.
        private static let readyResponseCount = 1 << 14
        private static let minimumResponseCountOfLoop = 1 << 10

        private let loops: [ConnectionLoop]
        private let channels: OpenChannels
        private let running: Countdown
        private let cutCount = Mutex(0)

        /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the system has no descriptors left.
        init(
            from sockets: [ListeningSocket],
            for channel: ConnectionChannel,
            limiter: AddressLimiter,
            failures: AcceptFailureLog,
            now: @escaping @Sendable () -> Date
        ) throws(BundleError) {
            channels = channel.openChannels
            let count = ProcessorCount.available
            // A loop may be accepting on another thread until it reports the end; the number of a closed descriptor may
            // be reused.
            let listening = Countdown(count) { for socket in sockets { socket.close() } }
            let settings = LoopSettings(
                responder: channel.settings.responder,
                limits: channel.settings.limits,
                limiter: limiter,
                recorder: channel.settings.recorder,
                failures: failures,
                now: now,
                readyResponseCount: max(Self.readyResponseCount / count, Self.minimumResponseCountOfLoop),
                migrate: { channel.adopt($0) },
                onAcceptingEnd: { listening.countDown() }
            )
            do {
                loops = try (0..<count).map { _ in
                    try ConnectionLoop(listeners: sockets.map(\.descriptor), settings: settings)
                }
            } catch {
                throw BundleError(.invalidArgument, "could not accept connections: \(error)", cause: error)
            }
            running = Countdown(loops.count) {}
            start()
        }

        private func start() {
            for (index, loop) in loops.enumerated() {
                let thread = Thread { [self] in
                    let count = loop.run()
                    cutCount.withLock { $0 += count }
                    running.countDown()
                }
                thread.name = "endpoint-\(index)"
                thread.start()
            }
        }

        func drain() {
            channels.quiesce()
            for loop in loops { loop.drain() }
        }

        func stop() {
            for loop in loops { loop.stop() }
            channels.cutAll()
        }

        func probe() async {
            for loop in loops { await loop.probe() }
            await MultiThreadedEventLoopGroup.singleton.probe()
        }

        func end() async -> Int {
            await running.wait()
            await channels.waitUntilClosed()
            return cutCount.withLock(\.self) + channels.cutCount
        }
    }
#endif

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
