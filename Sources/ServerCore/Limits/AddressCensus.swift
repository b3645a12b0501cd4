import BundleServing
import Synchronization

/// Counts what clients hold, connections or requests, in total and by address, up to limits. Thread-safe.
package final class AddressCensus: Sendable {
    /// One place in the count, until it is released.
    final class Seat: Sendable {
        private let census: AddressCensus
        private let address: PeerAddress?

        fileprivate init(_ census: AddressCensus, _ address: PeerAddress?) {
            self.census = census
            self.address = address
        }

        deinit {
            census.leave(address)
        }
    }

    /// Those of whom there are many.
    enum Crowd: Equatable {
        /// The clients of one address.
        case address
        case everyone
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
    package static func connections(_ limits: ServerLimits, metrics: (any ServerMetrics)?) -> AddressCensus {
        AddressCensus(limit: limits.connections, perAddress: limits.connectionsPerAddress, metrics: metrics)
    }

    /// Counts one more, or returns nil when a limit is reached.
    ///
    /// - Parameter address: Nil for a Unix socket, which has none.
    func enter(from address: PeerAddress?) -> Seat? {
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
        return Seat(self, address)
    }

    /// Whose number has less than `reserve` left up to its limit; nil for nobody's.
    func crowd(around address: PeerAddress?, leaving reserve: Int) -> Crowd? {
        counts.withLock { counts in
            if counts.all > limit - reserve { return .everyone }
            let count = address.flatMap { counts.byAddress[$0] } ?? 0
            return count > limitPerAddress - reserve ? .address : nil
        }
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
