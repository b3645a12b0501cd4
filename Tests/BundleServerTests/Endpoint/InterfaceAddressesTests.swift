import BundleNetwork
import BundleStore
import BundleTesting
import ServerCore
import Synchronization
import Testing

@testable import BundleServer

@Suite("The addresses of this machine's interfaces")
struct InterfaceAddressesTests {
    @Test("are the machine's own hosts when it listens on all of them, in each form of an address")
    func wildcard() {
        for listening in ["0.0.0.0", "::"] {
            for host in ["192.168.1.5", "[fe80::1]", "[::ffff:192.168.1.5]", "[FE80:0:0:0:0:0:0:1]"] {
                #expect(hosts(listening: .tcp(host: listening, port: 80)).contains(host), "\(listening) \(host)")
            }
        }
        #expect(hosts(listening: .inherited(name: nil)).contains("192.168.1.5"))
    }

    @Test(
        "leave other hosts refused",
        arguments: [
            "192.168.1.6", "[fe80::2]", "192.168.1.5.evil.example", "192.168.261", "0xc0a80105", "3232235781", "[::]",
            "[fe80::1%eth0]", "192.168.1.5.", "evil.example", "[]", "",
        ]
    )
    func others(_ host: String) {
        #expect(!hosts(listening: .tcp(host: "0.0.0.0", port: 80)).contains(host))
    }

    @Test("don't count when it listens on a certain one, or on a Unix socket")
    func certain() {
        #expect(!hosts(listening: .tcp(host: "127.0.0.1", port: 80)).contains("192.168.1.5"))
        #expect(!hosts(listening: .unix(path: "/a")).contains("192.168.1.5"))
    }

    @Test("are read again for an unknown one, once a second")
    func appearing() throws {
        let clock = TestClock()
        let now = Mutex<[String]>(["10.0.0.1"])
        let readCount = Mutex(0)
        let addresses = InterfaceAddresses(clock: clock) {
            readCount.withLock { $0 += 1 }
            return Set(now.withLock { $0 }.compactMap { NetworkAddress($0) })
        }
        let (first, later) = (try #require(NetworkAddress("10.0.0.1")), try #require(NetworkAddress("10.0.0.2")))
        #expect(addresses.contains(first))
        now.withLock { $0 = ["10.0.0.2"] }
        for _ in 0..<100 { #expect(!addresses.contains(later)) }
        #expect(readCount.withLock { $0 } == 1)
        clock.advance(by: .seconds(1))
        #expect(addresses.contains(later))
        #expect(!addresses.contains(first))
        #expect(readCount.withLock { $0 } == 2)
    }

    @Test("include the loopback interface's")
    func system() throws {
        #expect(InterfaceAddresses.current().contains(try #require(NetworkAddress("127.0.0.1"))))
    }

    private func hosts(listening: ListenAddress) -> OwnHosts {
        let interfaces = InterfaceAddresses { Set(["192.168.1.5", "fe80::1"].compactMap { NetworkAddress($0) }) }
        return OwnHosts(listening: listening, allowed: [], interfaces: interfaces)
    }
}
