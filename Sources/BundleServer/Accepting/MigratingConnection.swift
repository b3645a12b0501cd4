import NIOPosix
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A connection that a loop hands on, because something was asked on it that takes all of HTTP.
final class MigratingConnection: Sendable {
    /// What was received on it and is not yet answered.
    let received: [UInt8]
    let seat: ConnectionCensus.Seat
    /// Of the requests that were answered on it.
    let rate: RequestRate
    private let descriptor: Mutex<CInt?>

    init(descriptor: CInt, received: [UInt8], seat: ConnectionCensus.Seat, rate: RequestRate) {
        self.received = received
        self.seat = seat
        self.rate = rate
        self.descriptor = Mutex(descriptor)
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
}
