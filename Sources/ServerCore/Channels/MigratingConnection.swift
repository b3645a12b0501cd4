import NIOPosix
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A connection on its way between a loop and a channel. Thread-safe.
final class MigratingConnection: Sendable {
    /// The received bytes that have had no response yet.
    let received: [UInt8]
    /// The request that the received bytes begin with, if the responder has begun it.
    let begun: BegunRequest?
    let permit: AddressLimiter.Permit
    /// The rate of the requests on it so far.
    let rate: RequestRate
    private let descriptor: Mutex<CInt?>
    /// The descriptor's number, for as long as the channel that has it is open.
    private let number: CInt
    /// Takes the connection back; returns false when the loop is ending.
    private let home: @Sendable (MigratingConnection) -> Bool

    /// - Parameter home: Takes the connection back; returns false when the loop is ending.
    init(
        descriptor: CInt,
        received: [UInt8],
        begun: BegunRequest? = nil,
        permit: AddressLimiter.Permit,
        rate: RequestRate,
        home: @escaping @Sendable (MigratingConnection) -> Bool
    ) {
        self.received = received
        self.begun = begun
        self.permit = permit
        self.rate = rate
        self.descriptor = Mutex(descriptor)
        self.home = home
        number = descriptor
    }

    deinit {
        // The server was stopped before anything took the connection.
        if let descriptor = take() { close(descriptor) }
    }

    /// The socket, which the caller closes; nil on later calls.
    func take() -> CInt? {
        descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
    }

    /// Returns the connection to its loop with a duplicate of the descriptor, since the channel closes its own next.
    /// Returns false when the connection stays.
    ///
    /// - Parameter rate: The rate of the requests on it so far.
    func comeBack(rate: RequestRate) -> Bool {
        let duplicate = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return false }
        // A loop measures a client's progress itself; see ConnectionLoop.
        var limit: CInt = 0
        setsockopt(duplicate, CInt(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &limit, socklen_t(MemoryLayout<CInt>.size))
        return home(MigratingConnection(descriptor: duplicate, received: [], permit: permit, rate: rate, home: home))
    }
}
