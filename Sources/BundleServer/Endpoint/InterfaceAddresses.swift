import BundleNetwork
import BundleStore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The addresses of this machine's network interfaces, which come and go while a server runs. Thread-safe.
///
/// They are read again when one is asked for that isn't known, at most once a second: so an address counts a second after it
/// appears, and requests for others cost next to nothing. One that has gone still counts until then; nothing reaches it.
final class InterfaceAddresses: Sendable {
    private static let interval: Duration = .seconds(1)

    private struct State {
        var addresses: Set<NetworkAddress> = []
        var readAt: Duration?
    }

    private let state = Mutex(State())
    private let read: @Sendable () -> Set<NetworkAddress>
    private let elapsed: @Sendable () -> Duration

    /// - Parameters:
    ///   - clock: Measures the second.
    ///   - read: Reads the addresses.
    init(
        clock: any Clock<Duration> = ContinuousClock(),
        read: @escaping @Sendable () -> Set<NetworkAddress> = InterfaceAddresses.current
    ) {
        elapsed = clock.stopwatch()
        self.read = read
    }

    /// Whether an interface has the address, whatever the zone.
    func contains(_ address: NetworkAddress) -> Bool {
        state.withLock { state in
            if state.addresses.contains(address) { return true }
            let now = elapsed()
            if let readAt = state.readAt, now - readAt < Self.interval { return false }
            state.addresses = read()
            state.readAt = now
            return state.addresses.contains(address)
        }
    }

    /// The addresses that the system knows now; none when it can't say.
    @Sendable
    static func current() -> Set<NetworkAddress> {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: Set<NetworkAddress> = []
        var next = list
        while let interface = next?.pointee {
            if let address = interface.ifa_addr.flatMap({ NetworkAddress($0) }) { addresses.insert(address) }
            next = interface.ifa_next
        }
        return addresses
    }
}
