import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// `update` and hosts that hang or drip.
struct DownloadTests {
    @Test(.timeLimit(.minutes(1)))
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
                let document = try JSONDecoder().decode(JSONValue.self, from: Data(result.outputBytes))
                #expect(document["bundles"]?.array?.compactMap { $0["name"]?.string } == ["docs", "news"])
                #expect(document["bundles"]?.array?.compactMap { $0["outcome"]?.string } == ["failed", "updated"])
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
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
                let update = try await site.bundlectl.expect(69, "update", "--download-deadline", "1s")
                #expect(update.errorOutput.contains("isn't there after 1.0 seconds"))
            }
            try site.move(path, of: "docs", to: site.origin.baseURL + path)
            let update = try await site.bundlectl.expect(0, "update")
            #expect(update.output.contains("updated docs: 1.0.0 to 1.1.0"))
            let request = try #require(site.origin.requests.last { $0.path == path })
            #expect(request.headerFields[.range] == "bytes=\(half)-")
            #expect(request.headerFields[.userAgent]?.hasPrefix("bundlectl/") == true)
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
