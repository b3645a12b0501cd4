import BundleServing
import Synchronization

/// Counts the open connections, in total and by address. Thread-safe.
package final class ConnectionCensus: Sendable {
    /// One connection's place in the count, until it is released.
    final class Seat: Sendable {
        private let census: ConnectionCensus
        private let address: PeerAddress?

        fileprivate init(_ census: ConnectionCensus, _ address: PeerAddress?) {
            self.census = census
            self.address = address
        }

        deinit {
            census.leave(address)
        }
    }

    private struct Counts {
        var all = 0
        var byAddress: [PeerAddress: Int] = [:]
    }

    private let limits: ServerLimits
    private let metrics: (any ServerMetrics)?
    private let counts = Mutex(Counts())

    /// - Parameter metrics: Nil when metrics are off.
    package init(limits: ServerLimits, metrics: (any ServerMetrics)?) {
        self.limits = limits
        self.metrics = metrics
    }

    /// Counts a connection, or returns nil when a limit is reached.
    ///
    /// - Parameter address: Nil for a Unix socket, which has none.
    func enter(from address: PeerAddress?) -> Seat? {
        let isTaken = counts.withLock { counts in
            guard counts.all < limits.connections else { return false }
            if let address {
                let count = counts.byAddress[address, default: 0]
                guard count < limits.connectionsPerAddress else { return false }
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
        return Seat(self, address)
    }

    private func leave(_ address: PeerAddress?) {
        metrics?.connectionClosed()
        counts.withLock { counts in
            counts.all -= 1
            guard let address, let count = counts.byAddress[address] else { return }
            counts.byAddress[address] = count > 1 ? count - 1 : nil
        }
    }
}
