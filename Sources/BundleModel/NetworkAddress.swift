#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An IPv4 or IPv6 address. An IPv4 address that is written as an IPv6 one (`::ffff:127.0.0.1`, RFC 4291 §2.5.5.2) is
/// that IPv4 address, because that is where a connection goes.
///
/// A value type; safe to share between threads.
package struct NetworkAddress: Hashable, Sendable {
    /// 4 or 16 bytes, in network byte order.
    package let bytes: [UInt8]

    /// Takes 4 or 16 bytes, in network byte order; nil for any other number.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.bytes = Array(bytes.count == 16 && bytes.starts(with: mapped) ? bytes.suffix(4) : bytes.suffix(16))
    }

    /// Takes the address of a socket; nil for anything but an IP address.
    package init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch CInt(address.pointee.sa_family) {
        // Behind the family and the port, and in IPv6 the flow information, on every system. By position: to which C module
        // the members of these structures belong depends on the order in which modules are loaded.
        case AF_INET: self.init(UnsafeRawBufferPointer(start: raw + 4, count: 4))
        case AF_INET6: self.init(UnsafeRawBufferPointer(start: raw + 8, count: 16))
        default: return nil
        }
    }

    /// Parses an address as it is usually written, an IPv6 address without its brackets; a zone (RFC 4007 §11) is
    /// ignored. Returns nil for anything else, including the shorter forms of IPv4 addresses.
    package init?(_ text: some StringProtocol) {
        let text = String(text.prefix { $0 != "%" })
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes)
        } else {
            return nil
        }
    }

    /// Parses an address as a host look-up does: the shorter, octal and hexadecimal forms of IPv4 addresses are
    /// addresses too (`127.1`, `2130706433`, `0x7f.1`; inet_aton(3)).
    package init?(lookedUp host: some StringProtocol) {
        var address = in_addr()
        if let address = NetworkAddress(host) {
            self = address
        } else if inet_aton(String(host), &address) != 0 {
            self.init(withUnsafeBytes(of: address.s_addr) { Array($0) })
        } else {
            return nil
        }
    }

    /// Whether it is the machine itself: one of 127.0.0.0/8 (RFC 1122 §3.2.1.3), or ::1 (RFC 4291 §2.5.3).
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
    }

    /// Whether it begins with the first `count` bits of another address of the same family.
    package func hasPrefix(_ other: NetworkAddress, bitCount: Int) -> Bool {
        guard bytes.count == other.bytes.count, bitCount <= bytes.count * 8 else { return false }
        let (whole, rest) = bitCount.quotientAndRemainder(dividingBy: 8)
        guard bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
        return rest == 0 || (bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0
    }
}

extension NetworkAddress: CustomStringConvertible {
    /// The address as it is usually written (RFC 5952).
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

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
