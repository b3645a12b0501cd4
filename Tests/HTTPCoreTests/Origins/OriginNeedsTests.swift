import BundleStore
import BundleTesting
import HTTPCore
import Testing

@Suite("What a manifest's URLs require of a server")
struct OriginNeedsTests {
    private func warnings(_ origins: String..., feed: String? = nil) throws -> [Notice] {
        let list = origins.map { #"{"url": "\#($0)"}"# }.joined(separator: ", ")
        let feed = feed.map { #", "feed": "\#($0)""# } ?? ""
        return try OriginNeeds.warnings(.sample("shop", "1", #""origins": [\#(list)]\#(feed)"#))
    }

    @Test("is nothing where they are names, or on the internet")
    func nothing() throws {
        #expect(try warnings("https://m.example.com/", "http://1.1.1.1/", feed: "https://[2606:4700::1]/f.json") == [])
    }

    @Test(
        "is allowed by a setting where they are on the machine or in its network",
        arguments: [
            ("http://127.0.0.1:9/", "a loopback address", "loopback"),
            ("http://localhost/", "a loopback address", "loopback"),
            ("http://a.localhost/", "a loopback address", "loopback"),
            ("http://[::1]:9/", "a loopback address", "loopback"),
            ("https://192.168.1.5/", "a private address", "private"),
            // As interpreted by inet_aton(3).
            ("http://127.1/", "a loopback address", "loopback"),
            ("http://2130706433/", "a loopback address", "loopback"),
            ("http://0x7f.1/", "a loopback address", "loopback"),
            ("http://017700000001/", "a loopback address", "loopback"),
            ("http://10.1/", "a private address", "private"),
            ("https://[fd00::1]/", "a private address", "private"),
        ]
    )
    func option(url: String, phrase: String, network: String) throws {
        let need = "has \(phrase), which an endpoint that other machines can reach doesn't connect to"
        #expect(
            try warnings(url, feed: url + "feed.json?token=1") == [
                Notice("origin \(url) \(need)", .allowOriginNetwork(network)),
                Notice("feed \(url)feed.json \(need)", .allowOriginNetwork(network)),
            ]
        )
    }

    @Test(
        "is impossible for addresses that are never allowed",
        arguments: [
            "169.254.169.254", "0.0.0.0", "224.0.0.1", "[fe80::1]", "0", "168.63.129.16", "[fd00:ec2::254]",
            "2852039166",
        ]
    )
    func never(host: String) throws {
        let warnings = try warnings("http://\(host)/latest/")
        #expect(warnings.count == 1)
        #expect(warnings[0].problem.hasPrefix("origin http://\(host)/latest/ has "))
        #expect(warnings[0].problem.hasSuffix(" address, which is never connected to; correct the manifest"))
    }
}
