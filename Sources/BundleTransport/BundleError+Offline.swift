import BundleModel
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension BundleError {
    /// Whether a ``NIOTransport`` couldn't connect, to the host or to the proxy: the name has no address, there is no route, or
    /// nothing accepts the connection; or whether the medium with a feed isn't there. A machine without a network gets no other
    /// error. A server's response, a TLS handshake that fails, and a
    /// connection that breaks off are none of these.
    public var isOffline: Bool {
        switch cause {
        case let problem as ConnectionProblem: problem == .noAddress || problem == .notInTime
        case is AbsentPlace: true
        case ChannelError.connectTimeout?: true
        case let error as IOError: Self.offlineCodes.contains(error.errnoCode)
        case let error as BundleError: error.isOffline
        default: false
        }
    }

    private static let offlineCodes: Set<CInt> = [
        ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, ETIMEDOUT, EADDRNOTAVAIL,
    ]
}
