import HTTPCore
import NIOCore
import Synchronization

/// Counts what clients hold, connections or requests, in total and by address, up to limits. Thread-safe.
package final class AddressLimiter: Sendable {
    /// One place in the count, until it is released.
    final class Permit: Sendable {
        fileprivate let address: PeerAddress?
        private let limiter: AddressLimiter
        private let useCount = Atomic(0)
        private let isReleased = Atomic(false)

        /// Something that the holder waits for.
        final class Use: Sendable {
            private let permit: Permit

            fileprivate init(_ permit: Permit) {
                self.permit = permit
                permit.useCount.add(1, ordering: .relaxed)
            }

            deinit { permit.useCount.subtract(1, ordering: .relaxed) }
        }

        /// While the result is kept, the place isn't taken.
        func use() -> Use { Use(self) }

        fileprivate init(_ limiter: AddressLimiter, _ address: PeerAddress?) {
            self.limiter = limiter
            self.address = address
        }

        deinit {
            release()
        }

        /// Gives the place back, before the holder has gone.
        func release() {
            if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { limiter.release(address) }
        }

        /// Whether it can be taken from its holder for another one.
        ///
        /// - Parameter rival: The address of the other one, if the limit of that is reached.
        func isFree(for rival: PeerAddress?) -> Bool {
            useCount.load(ordering: .relaxed) == 0 && !isReleased.load(ordering: .relaxed)
                && (rival == nil || rival == address)
        }
    }

    private struct Counts {
        var all = 0
        var byAddress: [PeerAddress: Int] = [:]
    }

    private let limit: Int
    private let limitPerAddress: Int
    private let metrics: (any ServerMetrics)?
    private let counts = Mutex(Counts())

    /// - Parameter metrics: Where connections are counted; nil for anything else, and when metrics are off.
    init(limit: Int, perAddress: Int, metrics: (any ServerMetrics)? = nil) {
        (self.limit, limitPerAddress, self.metrics) = (limit, perAddress, metrics)
    }

    /// That of a server's connections.
    package static func connections(_ limits: ServerLimits, metrics: (any ServerMetrics)?) -> AddressLimiter {
        AddressLimiter(limit: limits.connections, perAddress: limits.connectionsPerAddress, metrics: metrics)
    }

    /// Counts one more, or returns nil when a limit is reached.
    ///
    /// - Parameter address: Nil for a Unix socket, which has none.
    func acquire(for address: PeerAddress?) -> Permit? {
        let isTaken = counts.withLock { counts in
            guard counts.all < limit else { return false }
            if let address {
                let count = counts.byAddress[address, default: 0]
                guard count < limitPerAddress else { return false }
                counts.byAddress[address] = count + 1
            }
            counts.all += 1
            return true
        }
        guard isTaken else {
            metrics?.connectionRefused()
            return nil
        }
        metrics?.connectionOpened()
        return Permit(self, address)
    }

    /// Whether an address has all the places that one may have.
    func isFull(_ address: PeerAddress?) -> Bool {
        guard let address else { return false }
        return counts.withLock { $0.byAddress[address, default: 0] >= limitPerAddress }
    }

    private func release(_ address: PeerAddress?) {
        metrics?.connectionClosed()
        counts.withLock { counts in
            counts.all -= 1
            guard let address, let count = counts.byAddress[address] else { return }
            counts.byAddress[address] = count > 1 ? count - 1 : nil
        }
    }
}

extension SocketAddress {
    /// The address by which a client counts; nil for a Unix socket.
    var peer: PeerAddress? { withSockAddr { address, _ in PeerAddress(address) } }
}
