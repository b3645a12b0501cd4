import BundleModel
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The addresses of a host")
struct HostAddressesTests {
    @Test(
        "that is an address are that one, whatever addresses the machine has",
        arguments: [("127.0.0.1", 4), ("192.0.2.1", 4), ("0.0.0.0", 4), ("::1", 16), ("2001:db8::1", 16), ("::", 16)]
    )
    func literal(_ host: String, _ byteCount: Int) throws {
        let lengths = try HostAddresses.resolve(host, port: 80) { $0.pointee.sa_family == AF_INET ? 4 : 16 }
        #expect(lengths == [byteCount])
    }

    @Test("that nothing knows are none")
    func unknown() {
        #expect(throws: HostAddresses.UnknownHost.self) { try HostAddresses.resolve("no host", port: 0) { _ in 0 } }
    }
}
