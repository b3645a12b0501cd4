#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Looks up the addresses of host names, to listen on or to connect to.
package enum HostAddresses {
    /// The host has no address.
    package struct UnknownHost: Error {
        package init() {}
    }

    /// Every address of a host, in the system's order and without repetition. Blocks until the system's resolver
    /// responds.
    ///
    /// - Parameter address: Returns the caller's form of an address; nil when it has none for the family. The pointer is
    ///   valid during the call.
    /// - Throws: ``UnknownHost`` when it has none.
    package static func resolve<Address: Equatable>(
        _ host: String,
        port: Int,
        as address: (UnsafePointer<sockaddr>) -> Address?
    ) throws(UnknownHost) -> [Address] {
        guard let list = list(of: host, port: port, flags: AI_NUMERICHOST) ?? list(of: host, port: port, flags: 0)
        else {
            throw UnknownHost()
        }
        defer { freeaddrinfo(list) }
        var addresses: [Address] = []
        // Without a socket type in the hints, each address is listed once for each type.
        var next: UnsafeMutablePointer<addrinfo>? = list
        while let item = next?.pointee {
            if let address = item.ai_addr.flatMap({ address($0) }), !addresses.contains(address) {
                addresses.append(address)
            }
            next = item.ai_next
        }
        guard !addresses.isEmpty else { throw UnknownHost() }
        return addresses
    }

    /// An address needs no resolver, and is right even where no interface has one of its family: flags must be given,
    /// since the default ones leave such addresses out (AI_ADDRCONFIG, getaddrinfo(3)).
    private static func list(of host: String, port: Int, flags: CInt) -> UnsafeMutablePointer<addrinfo>? {
        var hints = addrinfo()
        hints.ai_flags = flags
        var list: UnsafeMutablePointer<addrinfo>?
        return getaddrinfo(host, String(port), &hints, &list) == 0 ? list : nil
    }
}
