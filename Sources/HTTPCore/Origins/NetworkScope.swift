import BundleModel

/// The scope of an address: what kind of network it belongs to.
public enum NetworkScope: String, Hashable, Sendable, CaseIterable {
    /// The internet.
    case global
    /// The machine itself.
    case loopback
    /// A network of an organisation, a home or a provider: not the internet.
    case `private`
    /// Machines on the same link, and cloud metadata services (169.254.169.254).
    case linkLocal
    /// Cloud metadata services at other addresses.
    case cloudMetadata
    /// Several machines at once.
    case multicast
    /// No address; systems treat it as the machine itself.
    case unspecified
    /// Documentation, broadcast, and unassigned addresses.
    case reserved

    /// The scope of an address, by the registries of special-purpose addresses (RFC 6890). An IPv6 address that embeds
    /// an IPv4 address has the scope of the embedded one.
    package init(of address: NetworkAddress) {
        if let embedded = Self.embedded(in: address) {
            self = NetworkScope(of: embedded)
        } else if let block = Self.blocks.first(where: { address.hasPrefix($0.prefix, bitCount: $0.bitCount) }) {
            self = block.scope
        } else {
            // Only 2000::/3 has been assigned for global unicast (RFC 4291 §2.4).
            self = address.bytes.count == 4 || address.bytes[0] >> 5 == 1 ? .global : .reserved
        }
    }

    /// Its name with an article, for messages: `a loopback address`.
    package var phrase: String {
        switch self {
        case .global: "an address of the internet"
        case .loopback: "a loopback address"
        case .private: "a private address"
        case .linkLocal: "a link-local address"
        case .cloudMetadata: "a cloud's metadata address"
        case .multicast: "a multicast address"
        case .unspecified: "the unspecified address"
        case .reserved: "a reserved address"
        }
    }

    /// The IPv4 address to which a translator or a tunnel forwards the packets for an IPv6 address.
    private static func embedded(in address: NetworkAddress) -> NetworkAddress? {
        translations.first { address.hasPrefix($0.prefix, bitCount: $0.bitCount) }.flatMap { translation in
            NetworkAddress(address.bytes.dropFirst(translation.offset).prefix(4))
        }
    }

    private static let translations: [(prefix: NetworkAddress, bitCount: Int, offset: Int)] = [
        // NAT64 (RFC 6052 §2.1).
        ("64:ff9b::", 96, 12),
        // 6to4 (RFC 3056 §2).
        ("2002::", 16, 2),
    ].compactMap { text, bitCount, offset in NetworkAddress(text).map { ($0, bitCount, offset) } }

    /// The first block that contains an address counts. Where no RFC is named, the source is RFC 6890.
    private static let blocks: [(prefix: NetworkAddress, bitCount: Int, scope: NetworkScope)] = [
        // Azure's wire server (“What is IP address 168.63.129.16?”), Alibaba's metadata (cloud-init, “AliYun”),
        // Oracle's in older images.
        ("168.63.129.16", 32, .cloudMetadata), ("100.100.100.200", 32, .cloudMetadata),
        ("192.0.0.192", 32, .cloudMetadata),
        // Amazon's (“Instance Metadata Service”, IPv6) and Google's (“Query VM metadata”, IPv6).
        ("fd00:ec2::254", 128, .cloudMetadata), ("fd20:ce::254", 128, .cloudMetadata),
        ("0.0.0.0", 32, .unspecified), ("0.0.0.0", 8, .reserved), ("10.0.0.0", 8, .private),
        // Shared by a provider's customers (RFC 6598).
        ("100.64.0.0", 10, .private),
        ("127.0.0.0", 8, .loopback), ("169.254.0.0", 16, .linkLocal), ("172.16.0.0", 12, .private),
        ("192.0.0.0", 24, .reserved), ("192.0.2.0", 24, .reserved), ("192.88.99.0", 24, .reserved),
        ("192.168.0.0", 16, .private),
        // Benchmarks of devices (RFC 2544).
        ("198.18.0.0", 15, .private),
        ("198.51.100.0", 24, .reserved), ("203.0.113.0", 24, .reserved), ("224.0.0.0", 4, .multicast),
        ("240.0.0.0", 4, .reserved),
        ("::", 128, .unspecified), ("::1", 128, .loopback),
        // NAT64 within a network (RFC 8215).
        ("64:ff9b:1::", 48, .private),
        // Teredo, benchmarking, ORCHID and the other IETF protocol assignments.
        ("2001:2::", 48, .private), ("2001::", 23, .reserved), ("2001:db8::", 32, .reserved),
        // RFC 9637.
        ("3fff::", 20, .reserved),
        ("fc00::", 7, .private), ("fe80::", 10, .linkLocal),
        // Site-local, deprecated (RFC 3879).
        ("fec0::", 10, .private),
        ("ff00::", 8, .multicast),
    ].compactMap { text, bitCount, scope in NetworkAddress(text).map { ($0, bitCount, scope) } }
}

extension NetworkScope {
    /// The scope of a URL's host, which is in lower case, an IPv6 address in its brackets. Nil for a name that must be
    /// looked up.
    package init?(ofHost host: String) {
        // RFC 6761 §6.3.
        if host == "localhost" || host.hasSuffix(".localhost") {
            self = .loopback
        } else if let address = NetworkAddress(lookedUp: host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...])
        {
            self = NetworkScope(of: address)
        } else {
            return nil
        }
    }
}
