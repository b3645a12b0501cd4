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
    /// What was received on it and is not yet answered.
    let received: [UInt8]
    let seat: ConnectionCensus.Seat
    /// Of the requests that were answered on it.
    let rate: RequestRate
    private let descriptor: Mutex<CInt?>
    /// The descriptor's number, for as long as the channel that has it is open.
    private let number: CInt
    /// Takes the connection back; returns false when it doesn't any more.
    private let home: @Sendable (MigratingConnection) -> Bool

    /// - Parameter home: Takes the connection back; returns false when it doesn't any more.
    init(
        descriptor: CInt,
        received: [UInt8],
        seat: ConnectionCensus.Seat,
        rate: RequestRate,
        home: @escaping @Sendable (MigratingConnection) -> Bool
    ) {
        self.received = received
        self.seat = seat
        self.rate = rate
        self.descriptor = Mutex(descriptor)
        self.home = home
        number = descriptor
    }

    deinit {
        // It came while everything was ended.
        if let descriptor = take() { close(descriptor) }
    }

    /// The socket, to be closed by the one who takes it; nil the second time.
    func take() -> CInt? {
        descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
    }

    /// Returns the connection to the loop that it came from, under another descriptor: the channel's is to be closed next. Returns
    /// false when it stays.
    ///
    /// - Parameter rate: Of the requests that were answered on it since.
    func comeBack(rate: RequestRate) -> Bool {
        let duplicate = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return false }
        // A loop asks the system how far a client has come, see ConnectionLoop.
        var limit: CInt = 0
        setsockopt(duplicate, CInt(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &limit, socklen_t(MemoryLayout<CInt>.size))
        return home(MigratingConnection(descriptor: duplicate, received: [], seat: seat, rate: rate, home: home))
    }
}
