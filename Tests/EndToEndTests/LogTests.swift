import BundleTesting
import Foundation
import Testing

/// What `serve` and scheduled updates log.
struct LogTests {
    @Test func `a logged request has its layer, bytes, time and reason, also as JSON`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving("--offline", "--verbose") { address, server in
                _ = try await Curl.get("\(address)/shop/data/none.json")
                try await server.waitForErrorOutput(containing: "layer=miss")
                let line = try #require(server.errorOutput.split(separator: "\n").first { $0.contains("none.json") })
                for field in ["bytes=", "ms=", "reason=", "release=shop@1.0.0"] { #expect(line.contains(field)) }
                _ = try await Curl.get("\(address)/", "-H", "Host: evil.example")
                try await server.waitForErrorOutput(containing: "reason=\"the host evil.example isn't allowed\"")
            }
            try await bundlectl.serving("--offline", "--log-level", "debug", "--log-format", "json") {
                address,
                server in
                _ = try await Curl.get("\(address)/shop/")
                try await server.waitForErrorOutput(containing: #""layer":"active""#)
                for line in server.errorOutput.split(separator: "\n") {
                    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
                }
            }
        }
    }

    @Test func `the end says what it waited for`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { _, server in
                try await server.terminate()
                #expect(server.errorOutput.contains("shutting down: "))
                #expect(server.errorOutput.contains("for responses under way"))
            }
        }
    }

    @Test func `an update that is merely offline is silent and no failure for cron, unless that is asked for`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.stop()
            for flags in [["-q"], ["--scheduled"]] {
                let result = try await bundlectl.run(["update"] + flags)
                #expect((result.exitCode, result.output, result.errorOutput) == (0, "", ""), "\(flags)")
            }
            #expect(try await bundlectl.expect(69, "update", "-q", "--fail-offline").errorOutput.contains("refused"))
            try await bundlectl.expect(69, "update")
        }
    }

    @Test func `a feed that responds with an error is a failure for cron`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            #expect(try await bundlectl.expect(69, "update", "-q").errorOutput.contains("404"))
        }
    }
}
