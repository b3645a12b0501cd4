import BundleStore
import Testing

@testable import HTTPCore

@Suite("The scope of an address")
struct NetworkScopeTests {
    static let table: [(address: String, scope: NetworkScope)] = [
        ("1.1.1.1", .global), ("93.184.216.34", .global), ("9.255.255.255", .global), ("11.0.0.0", .global),
        ("100.63.255.255", .global), ("100.128.0.0", .global), ("126.255.255.255", .global), ("128.0.0.0", .global),
        ("169.253.255.255", .global), ("169.255.0.0", .global), ("172.15.255.255", .global), ("172.32.0.0", .global),
        ("192.0.1.0", .global), ("192.167.255.255", .global), ("192.169.0.0", .global), ("198.17.255.255", .global),
        ("198.20.0.0", .global), ("223.255.255.255", .global),
        ("127.0.0.0", .loopback), ("127.0.0.1", .loopback), ("127.255.255.255", .loopback),
        ("10.0.0.0", .private), ("10.255.255.255", .private), ("172.16.0.0", .private), ("172.31.255.255", .private),
        ("192.168.0.0", .private), ("192.168.255.255", .private), ("100.64.0.0", .private),
        ("100.127.255.255", .private), ("198.18.0.0", .private), ("198.19.255.255", .private),
        ("169.254.0.0", .linkLocal), ("169.254.169.254", .linkLocal), ("169.254.255.255", .linkLocal),
        ("224.0.0.0", .multicast), ("239.255.255.255", .multicast),
        ("0.0.0.0", .unspecified), ("0.0.0.1", .reserved), ("0.255.255.255", .reserved), ("192.0.0.0", .reserved),
        ("192.0.0.171", .reserved), ("192.0.2.1", .reserved), ("198.51.100.7", .reserved), ("203.0.113.9", .reserved),
        ("192.88.99.1", .reserved), ("240.0.0.0", .reserved), ("255.255.255.255", .reserved),
        ("::", .unspecified), ("::1", .loopback), ("::2", .reserved), ("::127.0.0.1", .reserved),
        ("2606:4700:4700::1111", .global), ("2a00:1450::1", .global), ("2001:4860:4860::8888", .global),
        ("fc00::", .private), ("fdff:ffff::1", .private), ("fec0::1", .private),
        ("feff::1", .private), ("fe80::1", .linkLocal), ("febf::1", .linkLocal), ("fe80::1%eth0", .linkLocal),
        ("ff00::", .multicast), ("ff02::1", .multicast), ("ffff::1", .multicast), ("fe00::1", .reserved),
        ("2001:db8::1", .reserved), ("3fff::1", .reserved), ("100::1", .reserved), ("4000::1", .reserved),
        ("2001::1", .reserved), ("2001:2::1", .private), ("2001:10::1", .reserved), ("5f00::1", .reserved),
        // Cloud metadata services, and neighbouring addresses.
        ("168.63.129.16", .cloudMetadata), ("100.100.100.200", .cloudMetadata), ("192.0.0.192", .cloudMetadata),
        ("fd00:ec2::254", .cloudMetadata), ("fd20:ce::254", .cloudMetadata), ("::ffff:168.63.129.16", .cloudMetadata),
        ("64:ff9b::a83f:8110", .cloudMetadata), ("168.63.129.17", .global), ("100.100.100.201", .private),
        ("192.0.0.193", .reserved), ("fd00:ec2::253", .private), ("fd20:ce::255", .private),
        // Addresses that stand for an IPv4 address.
        ("::ffff:127.0.0.1", .loopback), ("::ffff:10.1.2.3", .private), ("::ffff:169.254.169.254", .linkLocal),
        ("::ffff:0.0.0.0", .unspecified), ("::ffff:1.1.1.1", .global), ("::FFFF:7F00:1", .loopback),
        ("64:ff9b::127.0.0.1", .loopback), ("64:ff9b::169.254.169.254", .linkLocal), ("64:ff9b::8.8.8.8", .global),
        ("64:ff9b:1::1", .private), ("2002:7f00:1::", .loopback), ("2002:a9fe:a9fe::1", .linkLocal),
        ("2002:c0a8:101::1", .private), ("2002:0808:0808::1", .global),
    ]

    @Test("follows the registries of special-purpose addresses", arguments: table)
    func scope(text: String, scope: NetworkScope) throws {
        #expect(NetworkScope(of: try #require(NetworkAddress(text))) == scope)
    }

    @Test("determines whether it may be connected to", arguments: table)
    func policy(text: String, scope: NetworkScope) throws {
        let address = try #require(NetworkAddress(text))
        func isAllowed(_ scopes: NetworkScope...) -> Bool {
            OriginAddressPolicy(allowing: Set(scopes)).denial(of: address) == nil
        }
        #expect(isAllowed() == (scope == .global))
        #expect(isAllowed(.loopback) == [.global, .loopback].contains(scope))
        #expect(isAllowed(.private) == [.global, .private].contains(scope))
        // No option allows the others.
        let all = OriginAddressPolicy(allowing: Set(NetworkScope.allCases))
        #expect(all == .local)
        #expect((all.denial(of: address) == nil) == [.global, .loopback, .private].contains(scope))
    }
}
