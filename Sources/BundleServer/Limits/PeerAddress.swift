#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The IP address of a connection's other end. A value type; safe to share between threads.
///
/// An IPv6 address counts by its first 64 bits, which is what one customer gets (RFC 6177 §2).
struct PeerAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Returns nil for a socket of another family, as a unix socket.
    init?(_ address: UnsafePointer<sockaddr>) {
        // Read by position, which is the same on all systems: of which module of C the members of these structures are
        // depends on the order in which modules are loaded.
        let (ipv4Position, ipv6Position) = (4, 8)
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let address = raw.loadUnaligned(fromByteOffset: ipv4Position, as: UInt32.self)
            (high, low) = (0, UInt64(UInt32(bigEndian: address)))
        case AF_INET6:
            let words = (
                UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: ipv6Position, as: UInt64.self)),
                UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: ipv6Position + 8, as: UInt64.self))
            )
            // ::ffff:1.2.3.4 is 1.2.3.4 (RFC 4291 §2.5.5.2).
            let isMapped = words.0 == 0 && words.1 >> 32 == 0xFFFF
            (high, low) = isMapped ? (0, words.1 & 0xFFFF_FFFF) : (words.0, 0)
        default:
            return nil
        }
    }
}
