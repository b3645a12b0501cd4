#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The IP address of a connection's other end. A value type; safe to share between threads.
///
/// Of an IPv6 address the first 64 bits count: one site gets at least that prefix (RFC 6177 §2).
package struct PeerAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Returns nil for a socket of another family, such as a Unix socket.
    package init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            // By position, behind the family and the port on every system: to which C module the members of these
            // structures belong depends on the order in which modules are loaded.
            (high, low) = (0, UInt64(UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self))))
        case AF_INET6:
            // Behind the flow information too.
            let words = (
                UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
            )
            // ::ffff:1.2.3.4 is 1.2.3.4 (RFC 4291 §2.5.5.2).
            let isMapped = words.0 == 0 && words.1 >> 32 == 0xFFFF
            (high, low) = isMapped ? (0, words.1 & 0xFFFF_FFFF) : (words.0, 0)
        default:
            return nil
        }
    }
}
