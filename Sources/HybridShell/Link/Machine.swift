#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What the machine says of itself, whatever its network services say.
enum Machine {
    /// Whether an interface, other than loopback, is running and has an address of IPv4 or IPv6. True when that isn't known.
    static var hasInterface: Bool {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0, let first = list else { return true }
        defer { freeifaddrs(first) }
        return sequence(first: first, next: \.pointee.ifa_next).contains { carriesPackets($0.pointee) }
    }

    private static func carriesPackets(_ entry: ifaddrs) -> Bool {
        guard let address = entry.ifa_addr else { return false }
        let (flags, family) = (Int(entry.ifa_flags), Int32(address.pointee.sa_family))
        let isRunning = flags & Int(IFF_RUNNING) != 0 && flags & Int(IFF_LOOPBACK) == 0
        return isRunning && (family == AF_INET || family == AF_INET6)
    }

    /// Whether a host is this machine, by its name or by a look-up. Waits for the look-up, which needs no network for that.
    static func isHost(_ host: String) -> Bool {
        var list: UnsafeMutablePointer<addrinfo>?
        guard host != "localhost", !host.hasSuffix(".localhost") else { return true }
        guard getaddrinfo(host, nil, nil, &list) == 0, let first = list else { return false }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: \.pointee.ai_next).contains { $0.pointee.ai_addr.map(isLoopback) ?? false }
    }

    private static func isLoopback(_ address: UnsafeMutablePointer<sockaddr>) -> Bool {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            // 127.0.0.0/8 (RFC 1122 §3.2.1.3), and 0.0.0.0, which Linux takes for it.
            let first = withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { $0[0] }
            return first == 127 || first == 0
        case AF_INET6:
            // ::1 (RFC 4291 §2.5.3), :: and, mapped, those of IPv4.
            return withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { bytes in
                let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
                return bytes[..<15].allSatisfy { $0 == 0 } || isMapped && bytes[12] == 127
            }
        default: return false
        }
    }
}
