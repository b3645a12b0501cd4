#if os(Linux)
    import BundleServing
    import BundleStore
    import Foundation
    import Logging
    import Synchronization
    import SystemPackage

    /// Accepts connections in loops, each on a thread of its own, which hand on what they don't answer themselves.
    final class LoopAccepting: Accepting {
        /// How many responses all loops together keep ready: about 16 MB of them.
        private static let readyResponseCount = 1 << 14
        private static let minimumResponseCountOfLoop = 1 << 10

        let connections: AsyncStream<@Sendable () async throws -> AcceptedConnection>
        private let loops: [ConnectionLoop]
        private let channels: OpenChannels
        private let running: Countdown
        private let cutCount = Mutex(0)

        /// - Throws: ``BundleStore/BundleError`` with code `invalidArgument` when the system has no descriptors left.
        init(
            from sockets: [ListeningSocket],
            for channel: EndpointChannel,
            files: BundledFiles,
            limits: EndpointLimits,
            census: ConnectionCensus,
            observer: RequestObserver?,
            logger: Logger,
            failures: AcceptFailureLog,
            now: @escaping @Sendable () -> Date
        ) throws(BundleError) {
            let (connections, continuation) = AsyncStream.makeStream(
                of: (@Sendable () async throws -> AcceptedConnection).self
            )
            self.connections = connections
            channels = channel.openChannels
            let count = ProcessorCount.available
            // A loop may be accepting on another thread until it says otherwise; the number of a closed one may be another's.
            let listening = Countdown(count) { for socket in sockets { socket.close() } }
            let settings = LoopSettings(
                files: files,
                limits: limits,
                census: census,
                observer: observer,
                logger: logger,
                failures: failures,
                now: now,
                readyResponseCount: max(Self.readyResponseCount / count, Self.minimumResponseCountOfLoop),
                migrate: { migrating in continuation.yield { try await channel.adopt(migrating) } },
                onAcceptingEnd: { listening.countDown() }
            )
            do {
                loops = try (0..<count).map { _ in
                    try ConnectionLoop(listeners: sockets.map(\.descriptor), settings: settings)
                }
            } catch {
                throw BundleError(.invalidArgument, "could not accept connections: \(error)", cause: error)
            }
            running = Countdown(loops.count) { continuation.finish() }
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
        }

        func end() async -> Int {
            await running.wait()
            return cutCount.withLock(\.self) + channels.cutCount
        }
    }
#endif
