import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Looks up the addresses of host names, to listen on or to connect to.
enum HostAddresses {
    /// The host has no address.
    struct UnknownHost: Error {}

    /// Every address of a host, in the system's order and without repetition. Blocks until the system's resolver
    /// responds.
    ///
    /// - Throws: ``UnknownHost`` when it has none.
    static func resolve(_ host: String, port: Int) throws -> [SocketAddress] {
        // An address needs no resolver.
        if let address = try? SocketAddress(ipAddress: host, port: port) { return [address] }
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), nil, &list) == 0 else {
            throw UnknownHost()
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        // Without a socket type in the hints, each address is listed once for each type.
        var next = list
        while let item = next?.pointee {
            if let address = Self.address(of: item), !addresses.contains(address) { addresses.append(address) }
            next = item.ai_next
        }
        guard !addresses.isEmpty else { throw UnknownHost() }
        return addresses
    }

    private static func address(of item: addrinfo) -> SocketAddress? {
        guard let address = UnsafeRawPointer(item.ai_addr) else { return nil }
        return switch item.ai_family {
        case AF_INET: SocketAddress(address.load(as: sockaddr_in.self))
        case AF_INET6: SocketAddress(address.load(as: sockaddr_in6.self))
        default: nil
        }
    }
}
