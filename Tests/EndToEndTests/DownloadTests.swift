import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// `update` and hosts that hang or drip.
struct DownloadTests {
    @Test(.timeLimit(.minutes(5)))
    func `a bundle whose host hangs doesn't delay another one`() async throws {
        try await withFeedSite { site in
            try await site.install("docs", "1.0.0")
            try await site.install("news", "1.0.0")
            try await site.publish("news", "1.1.0")
            let latch = Latch()
            site.origin.fail("/docs/feed.json", with: [.hold(latch)])
            let environment = site.bundlectl.environment
            try await withChildProcess(Bundlectl.path, ["update", "--json"], environment: environment) { update in
                // Both feeds, and the archive of the one that doesn't hang.
                try await site.origin.waitForRequests(3)
                latch.open()
                let result = try await update.wait()
                #expect(result.exitCode == 69)
                #expect(result.errorOutput.contains("bundlectl: docs: "))
                let document = try JSONDecoder().decode(AnyJSON.self, from: Data(result.outputBytes))
                #expect(document["bundles"]?.array?.compactMap { $0["name"]?.string } == ["docs", "news"])
                #expect(document["bundles"]?.array?.compactMap { $0["outcome"]?.string } == ["failed", "updated"])
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a download ends at its deadline, and the next one goes on where it stopped`() async throws {
        try await withFeedSite { site in
            try await site.install("docs", "1.0.0")
            try await site.publish("docs", "1.1.0")
            let path = "/docs/docs-1.1.0.zip"
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: site.folder("docs") + "/docs-1.1.0.zip")))
            let half = bytes.count / 2
            try await withTalkingOrigin { peer in
                _ = try await peer.head()
                try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
                try await peer.raw.send(Array(bytes[..<half]))
                await peer.waitForEnd()
            } _: { slow in
                try site.move(path, of: "docs", to: "http://\(slow.authority)\(path)")
                let update = try await site.bundlectl.expect(69, "update", "--download-deadline", "3s")
                #expect(update.errorOutput.contains("isn't there after 3.0 seconds"))
            }
            try site.move(path, of: "docs", to: site.origin.baseURL + path)
            let update = try await site.bundlectl.expect(0, "update")
            #expect(update.output.contains("updated docs: 1.0.0 to 1.1.0"))
            let request = try #require(site.origin.requests.last { $0.path == path })
            #expect(request.headerFields[.range] == "bytes=\(half)-")
            #expect(request.headerFields[.userAgent]?.hasPrefix("bundlectl/") == true)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `of two updates at once the second doesn't do the work again`() async throws {
        try await withFeedSite { site in
            try await site.install("docs", "1.0.0")
            try await site.publish("docs", "1.1.0")
            let latch = Latch()
            site.origin.fail("/docs/docs-1.1.0.zip", with: [.hold(latch)])
            try await withChildProcess(Bundlectl.path, ["update"], environment: site.bundlectl.environment) { first in
                try await site.origin.waitForRequests(2)
                let second = try await site.bundlectl.expect(75, "update")
                #expect(second.errorOutput.contains("another process is updating docs"))
                let scheduled = try await site.bundlectl.expect(0, "update", "--scheduled", "--json")
                #expect(scheduled.errorOutput.isEmpty)
                #expect(scheduled.output.contains(#""postponement" : "busy""#))
                site.origin.fail("/docs/docs-1.1.0.zip", with: [])
                latch.open()
                #expect(try await first.wait().exitCode == 0)
            }
            #expect(try await site.active("docs") == "1.1.0")
            #expect(site.origin.requestedPaths.count { $0.hasSuffix(".zip") } == 1)
        }
    }

    @Test func `an unchanged feed costs a 304, and a failing one is asked again by hand at once`() async throws {
        try await withFeedSite { site in
            try await site.install("docs", "1.0.0")
            try await site.publish("docs", "1.0.0")
            let feed = try Data(contentsOf: URL(fileURLWithPath: site.folder("docs") + "/feed.json"))
            site.origin.route("/docs/feed.json") { request in
                let isKnown = request.headerFields[.ifNoneMatch] == "\"1\""
                return ScriptedResponse(
                    status: isKnown ? .notModified : .ok,
                    fields: [.eTag: "\"1\""],
                    body: isKnown ? [] : Array(feed)
                )
            }
            for _ in 1...2 { try await site.bundlectl.expect(0, "check") }
            #expect(site.origin.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"1\""])
            site.origin.fail("/docs/feed.json", with: [.status(.serviceUnavailable)])
            try await site.bundlectl.expect(69, "update", "--scheduled")
            try await site.bundlectl.expect(0, "update", "--scheduled")
            let check = try await site.bundlectl.expect(0, "check", "--scheduled")
            #expect(check.output == "docs 1.0.0: not asked now\n")
            #expect(site.origin.requests.count == 3)
            site.origin.fail("/docs/feed.json", with: [])
            try await site.bundlectl.expect(0, "check")
            try await site.bundlectl.expect(0, "check", "--scheduled")
            #expect(site.origin.requests.count == 5)
        }
    }

    @Test func `a feed comes in a coding if its server has one`() async throws {
        try await withFeedSite { site in
            try await site.install("docs", "1.0.0")
            try await site.publish("docs", "1.1.0")
            let feed = Array(try Data(contentsOf: URL(fileURLWithPath: site.folder("docs") + "/feed.json")))
            for (coding, bytes) in [("gzip", GzipFixture(feed).bytes), ("zstd", ZstandardFixture(feed).bytes)] {
                site.origin.route("/docs/feed.json") { request in
                    #expect(request.headerFields[.acceptEncoding] == "zstd, gzip")
                    return ScriptedResponse(status: .ok, fields: [.contentEncoding: coding], body: bytes)
                }
                try await site.bundlectl.expect(10, "check")
            }
            let bomb = GzipFixture([UInt8](repeating: 0x20, count: 5 << 20)).bytes
            site.origin.route("/docs/feed.json") { _ in
                ScriptedResponse(status: .ok, fields: [.contentEncoding: "gzip"], body: bomb)
            }
            #expect(try await site.bundlectl.expect(65, "check").errorOutput.contains("has over 4194304 bytes"))
        }
    }

    @Test func `a host that is overloaded isn't asked for another file, nor by the clock before its time`() async throws
    {
        try await withFeedSite { site in
            try await site.publish("docs", "1.0.0")
            try await site.install("docs", "1.0.0")
            try await site.publish("docs", "1.1.0")
            let patch = "/docs/docs-1.1.0.from-1.0.0.patch"
            site.origin.fail(patch, with: [.status(.serviceUnavailable)])
            try await site.bundlectl.expect(69, "update", "--scheduled")
            let entry = try await site.bundlectl.json("update", "--scheduled")["bundles"]?.array?.first
            #expect(entry?["postponement"]?.string == "backingOff")
            #expect(entry?["to"] == nil)
            #expect(site.origin.requestedPaths.count { $0 == patch } == 1)
            #expect(!site.origin.requestedPaths.contains { $0.hasSuffix(".zip") })
            site.origin.fail(patch, with: [])
            try await site.bundlectl.expect(0, "update")
            #expect(try await site.active("docs") == "1.1.0")
        }
    }

    @Test func `on a metered link no archive is fetched, unless that is asked for`() async throws {
        try await withFeedSite { site in
            try await site.install("docs", "1.0.0")
            try await site.publish("docs", "1.1.0")
            try await site.bundlectl.expect(0, "network", "metered", "on")
            let update = try await site.bundlectl.expect(0, "update")
            #expect(update.errorOutput.contains("docs: 1.1.0 is there"))
            #expect(update.errorOutput.contains("--on-metered always"))
            let scheduled = try await site.bundlectl.expect(0, "update", "--scheduled")
            #expect(scheduled.output + scheduled.errorOutput == "")
            let entry = try await site.bundlectl.json("update")["bundles"]?.array?.first
            #expect(entry?["outcome"]?.string == "postponed")
            #expect(entry?["postponement"]?.string == "meteredLink")
            #expect(!site.origin.requestedPaths.contains { $0.hasSuffix(".zip") })
            try await site.bundlectl.expect(0, "update", "--on-metered", "always")
            #expect(try await site.active("docs") == "1.1.0")
            try await site.publish("docs", "1.2.0")
            try await site.bundlectl.expect(0, "network", "metered", "default")
            try await site.bundlectl.expect(0, "update", "--metered", "--on-metered", "never")
            #expect(try await site.active("docs") == "1.1.0")
            try await site.bundlectl.expect(0, "update", "--metered")
            #expect(try await site.active("docs") == "1.2.0", "there is a patch from 1.1.0")
        }
    }

    @Test func `a rate or a deadline that is none is refused`() async throws {
        try await withFeedSite { site in
            try await site.bundlectl.expect(64, "update", "--download-deadline", "0s")
            try await site.bundlectl.expect(64, "update", "--least-rate", "0KB")
            try await site.bundlectl.expect(64, "update", "--limit-rate", "fast")
        }
    }
}

extension FeedSite {
    /// Changes where the feed says that an archive is.
    fileprivate func move(_ path: String, of name: String, to url: String) throws {
        let feed = URL(fileURLWithPath: folder(name) + "/feed.json")
        let text = try String(contentsOf: feed, encoding: .utf8)
        try text.replacing(/"src": "[^"]*"/, with: "\"src\": \"\(url)\"").write(
            to: feed,
            atomically: true,
            encoding: .utf8
        )
    }
}
