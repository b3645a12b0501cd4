import BundleModel
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Listens on the addresses of a host.
enum TCPListening {
    /// How many times a free port is picked when the first address's port is taken at another address.
    private static let maximumAttempts = 16

    /// One socket for each of the host's addresses that the machine has, all on the same port.
    ///
    /// - Throws: `IOError` or ``HostAddresses/UnknownHost``; nothing is left open then.
    static func open(_ host: String, port: Int) throws -> [StreamSocket] {
        let addresses = try HostAddresses.resolve(host, port: port, as: SocketAddress.init)
        var attempts = 1
        while true {
            do {
                return try open(addresses)
            } catch let error as IOError
                where error.errnoCode == EADDRINUSE && port == 0 && attempts < maximumAttempts
            {
                attempts += 1
            }
        }
    }

    private static func open(_ addresses: [SocketAddress]) throws -> [StreamSocket] {
        var sockets: [StreamSocket] = []
        var absence: IOError?
        do {
            for address in addresses {
                do {
                    sockets.append(try listen(on: address, port: sockets.first?.localAddress?.port))
                } catch let error as IOError where isAbsent(error) {
                    absence = error
                }
            }
            if sockets.isEmpty, let absence { throw absence }
            return sockets
        } catch {
            for socket in sockets { socket.discard() }
            throw error
        }
    }

    /// Whether the machine lacks the address, for example where `localhost` has an IPv6 address and IPv6 is off.
    private static func isAbsent(_ error: IOError) -> Bool {
        [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode)
    }

    private static func listen(on address: SocketAddress, port: Int?) throws -> StreamSocket {
        var address = address
        if address.port == 0, let port { address.port = port }
        let socket = try StreamSocket(address.protocol)
        do {
            // Connections left from the previous run must not prevent a restart.
            try socket.set(SO_REUSEADDR, of: SOL_SOCKET, to: true)
            // The unspecified address includes IPv4, whatever the system's setting, because that is what users expect.
            if address.protocol == .inet6 {
                try socket.set(IPV6_V6ONLY, of: CInt(IPPROTO_IPV6), to: address.ipAddress != "::")
            }
            try socket.assign(address)
            try socket.startListening()
            return socket
        } catch {
            socket.discard()
            throw error
        }
    }
}

extension SocketAddress {
    /// Nil for anything but an IP address.
    fileprivate init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch CInt(address.pointee.sa_family) {
        case AF_INET: self.init(raw.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: self.init(raw.loadUnaligned(as: sockaddr_in6.self))
        default: return nil
        }
    }
}
