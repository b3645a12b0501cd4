import BundleStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The hosts that mean this machine in every browser: those of the loopback interface (RFC 6890), and their names
/// (RFC 6761 §6.3). Pure; safe from any thread.
///
/// A host is in lower case and without its port, an IPv6 address in its brackets.
package enum LocalHost {
    private static let suffix: StaticString = ".localhost"

    /// Whether a host is the machine itself: `localhost`, 127.0.0.0/8 or ::1. Everything served there is one browser
    /// origin.
    package static func isLoopback(_ host: UnsafeRawBufferPointer) -> Bool {
        if host.isName("localhost") { return true }
        switch host.first {
        case UInt8(ascii: "1"): return isAddress(host, AF_INET) { $0[0] == 127 }
        case UInt8(ascii: "[") where host.last == UInt8(ascii: "]"):
            let address = UnsafeRawBufferPointer(rebasing: host.dropFirst().dropLast())
            return isAddress(address, AF_INET6) { $0[15] == 1 && $0.prefix(15).allSatisfy { $0 == 0 } }
        default: return false
        }
    }

    /// The same for a text.
    package static func isLoopback(_ host: String) -> Bool {
        var host = host
        return host.withUTF8 { isLoopback(UnsafeRawBufferPointer($0)) }
    }

    /// Whether a host is an IP address, of whatever machine.
    package static func isAddress(_ host: String) -> Bool {
        var host = host
        return host.withUTF8 { host in
            let host = UnsafeRawBufferPointer(host)
            guard host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") else {
                return isAddress(host, AF_INET) { _ in true }
            }
            return isAddress(UnsafeRawBufferPointer(rebasing: host.dropFirst().dropLast()), AF_INET6) { _ in true }
        }
    }

    /// Whether a host is a name under `localhost`, each of which is a browser origin of its own.
    package static func isName(_ host: UnsafeRawBufferPointer) -> Bool {
        let count = suffix.utf8CodeUnitCount
        return host.count > count && UnsafeRawBufferPointer(rebasing: host.suffix(count)).isName(suffix)
    }

    /// The same for a text.
    package static func isName(_ host: String) -> Bool {
        var host = host
        return host.withUTF8 { isName(UnsafeRawBufferPointer($0)) }
    }

    /// The host of a bundle on this machine, `shop.localhost`; nil when its name is too long for one.
    package static func name(of bundle: BundleName) -> String? {
        HostLabel.label(of: bundle).map { "\($0)\(suffix)" }
    }

    /// The bundle that owns this host, whether or not it exists.
    package static func bundle(at host: String) -> BundleName? {
        isName(host) ? HostLabel.name(of: host.dropLast(suffix.utf8CodeUnitCount)) : nil
    }

    private static func isAddress(
        _ text: UnsafeRawBufferPointer,
        _ family: Int32,
        _ condition: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        // The longest form, with room for its terminating zero.
        guard text.count < Int(INET6_ADDRSTRLEN), !text.contains(0) else { return false }
        return withUnsafeTemporaryAllocation(byteCount: Int(INET6_ADDRSTRLEN) + 16, alignment: 16) { memory in
            let copy = UnsafeMutableRawBufferPointer(rebasing: memory[16...])
            copy.initializeMemory(as: UInt8.self, repeating: 0)
            copy.copyMemory(from: text)
            guard let address = memory.baseAddress, let start = copy.baseAddress,
                inet_pton(family, start.assumingMemoryBound(to: CChar.self), address) == 1
            else { return false }
            return condition(UnsafeRawBufferPointer(rebasing: memory[..<16]))
        }
    }
}
