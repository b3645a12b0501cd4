import ArgumentParser
import BundleNetwork
import BundleServer
import HTTPTypes
import Testing

@testable import bundlectl

struct CacheOptionsTests {
    @Test("the cache is that of one user, without targeted fields, unless options say otherwise")
    func policy() throws {
        let plain = try CacheOptions.parse([]).policy
        #expect(!plain.isShared && plain.targetedFields.isEmpty)
        let both = try CacheOptions.parse([
            "--shared-cache", "--targeted-cache-control", "CDN-Cache-Control", "--targeted-cache-control", "x-mine",
        ]).policy
        #expect(both.isShared)
        #expect(both.targetedFields == [HTTPField.Name("CDN-Cache-Control")!, HTTPField.Name("X-Mine")!])
    }

    @Test(
        "a targeted field has the name of a field, and not that of Cache-Control",
        arguments: ["", "a b", "cache-control", "a:"]
    )
    func refused(name: String) {
        #expect(throws: (any Error).self) { try CacheOptions.parse(["--targeted-cache-control", name]) }
    }

    @Test(
        "an address that other machines can reach gets a warning, unless the cache is shared",
        arguments: [
            ("127.0.0.1:8080", false), ("localhost:8080", false), ("[::1]:80", false), ("unix:/tmp/x", false),
            ("systemd", false), ("0.0.0.0:8080", true), ("192.168.1.2:80", true), ("shop.example:80", true),
        ]
    )
    func warning(address: String, isExpected: Bool) throws {
        let address = try #require(ListenAddress(argument: address))
        #expect((try CacheOptions.parse([]).warning(listeningOn: address) != nil) == isExpected)
        #expect(try CacheOptions.parse(["--shared-cache"]).warning(listeningOn: address) == nil)
    }
}
