import BundleNetwork

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension NetworkAddress {
    /// Nil for anything but an IP address.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch CInt(address.pointee.sa_family) {
        // After the family and the port, and in IPv6 the flow information, on every system.
        case AF_INET: self.init(UnsafeRawBufferPointer(start: raw + 4, count: 4))
        case AF_INET6: self.init(UnsafeRawBufferPointer(start: raw + 8, count: 16))
        default: return nil
        }
    }
}
