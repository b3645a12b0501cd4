import BundleTesting
import Foundation
import Testing

/// What a server does with changes and addresses that come while it runs.
struct PromptServingTests {
    @Test(arguments: [[], ["--http2-prior-knowledge"], ["--head"], ["-H", "If-None-Match: \"none\""]])
    func `a request that begins after install has returned gets the new version`(options: [String]) async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                func tag() async throws -> String? {
                    try await Curl.get("\(address)/shop/bundle.json", options)["etag"]
                }
                var tags = [try await tag()]
                // Often enough that none of them is noticed in time by chance.
                for version in ["1.1.0", "1.0.0", "1.1.0", "1.0.0", "1.1.0", "1.0.0", "1.1.0", "1.0.0"] {
                    try await bundlectl.expect(0, "install", publisher.archive(version))
                    tags.append(try await tag())
                }
                #expect(Set(tags).count == 2)
                for (tag, next) in zip(tags, tags.dropFirst()) { #expect(tag != next) }
            }
        }
    }

    @Test func `a server on all addresses answers by each of them, and by no other`() async throws {
        let addresses = try await ChildProcess.run("hostname", ["-I"]).output.split(whereSeparator: \.isWhitespace)
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving(["--listen", "0.0.0.0:0", "--mount", "shop=/"]) { address, _ in
                let port = try #require(address.split(separator: ":").last)
                let local = "http://127.0.0.1:\(port)/"
                for host in addresses where !host.contains(":") {
                    #expect(try await Curl.get("http://\(host):\(port)/").status == 200)
                    #expect(try await Curl.get("http://\(host):\(port)/", "--head").status == 200)
                    // The address is the machine's own, whichever it came to.
                    #expect(try await Curl.get(local, "-H", "Host: \(host):\(port)").status == 200)
                }
                for host in ["192.0.2.99", "[2001:db8::99]", "evil.example", "192.0.2.99.evil.example"] {
                    #expect(try await Curl.get(local, "-H", "Host: \(host):\(port)").status == 421)
                }
            }
        }
    }
}
