import BundleTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// A rollout that a metrics server decides.
struct AdvanceTests {
    /// A server that speaks Prometheus' API.
    private final class Metrics: Sendable {
        let server = OriginServer()
        private let numbers = Mutex<(active: String, bad: String)>(("", ""))

        init() async throws {
            server.route("/api/v1/query") { [self] request in
                let isBad = request.path?.contains("bad_reports") == true
                let number = numbers.withLock { isBad ? $0.bad : $0.active }
                let element = number.isEmpty ? "" : #"{"metric": {}, "value": [1767225600.5, "\#(number)"]}"#
                let text = #"{"status": "success", "data": {"resultType": "vector", "result": [\#(element)]}}"#
                return ScriptedResponse(text, type: "application/json")
            }
            try await server.start()
        }

        func tell(active: String, bad: String) { numbers.withLock { $0 = (active, bad) } }
    }

    /// Publishes 1.1.0 at a share, and calls `body` with a function that advances it.
    private func withRollout(
        _ share: String,
        isSigned: Bool = false,
        _ body: (Publisher, Bundlectl, Metrics, _ advance: [String]) async throws -> Void
    ) async throws {
        try await withPublisher { publisher, bundlectl in
            let (keys, folder) = (publisher.directory.path(of: "keys"), publisher.site + "/releases")
            if isSigned { try await bundlectl.expect(0, "keys", "init", "--in", keys) }
            let signing = isSigned ? ["--keys", keys] : []
            for (version, options) in [("1.0.0", []), ("1.1.0", ["--rollout", share])] {
                let publish = ["publish", publisher.archive(version), "--to", folder] + options + signing
                try #require(try await bundlectl.run(publish).exitCode == 0)
            }
            let metrics = try await Metrics()
            let advance =
                ["feed", "advance", "shop@1.1.0", "--health", metrics.server.baseURL, "--in", folder] + signing
            try await body(publisher, bundlectl, metrics, advance)
            await metrics.server.stop()
        }
    }

    @Test(arguments: [false, true])
    func `a good release reaches all installations step by step`(isSigned: Bool) async throws {
        try await withRollout("0%", isSigned: isSigned) { publisher, bundlectl, metrics, advance in
            let now = advance + ["--soak", "0s", "--steps", "1,50,100"]
            for (active, share, decision) in [
                ("", 1, "raised"), ("29", 1, "held"), ("30", 50, "raised"), ("900", 100, "raised"),
            ] {
                metrics.tell(active: active, bad: "0")
                let document = try await bundlectl.json(now)
                #expect(document["decision"]?.string == decision)
                #expect(document["rollout"]?.integer == share)
                #expect((document["signedUntil"] != nil) == (isSigned && decision == "raised"))
            }
            let done = try await bundlectl.run(now)
            #expect(done.exitCode == 0 && done.output.contains("the last step"), "\(done.output)")
            let entry = try publisher.feed["versions"]?.array?.first
            #expect(entry?["rollout"] == nil && entry?["rolloutSince"] == nil)
            #expect(try await bundlectl.run(["install", publisher.origin + "/releases/feed.json"]).exitCode == 0)
            #expect(try await bundlectl("list").output.contains("1.1.0"))
        }
    }

    @Test func `a share holds for its time, and then only where enough have the release`() async throws {
        try await withRollout("1%") { publisher, bundlectl, metrics, advance in
            metrics.tell(active: "57", bad: "1")
            let feed = try publisher.feed
            let soaking = try await bundlectl.run(advance)
            #expect(
                soaking.exitCode == 0 && soaking.output.hasPrefix("shop@1.1.0 stays at 1% of the installations: until ")
            )
            #expect(try await bundlectl.run(advance + ["-q"]).output == "")
            #expect(try await bundlectl.json(advance)["reason"]?.string == "soaking")
            let present = try publisher.feed
            #expect(present == feed)
            let raised = try await bundlectl.run(advance + ["--soak", "0s"])
            let text =
                "shop@1.1.0 is offered to 10% of the installations from now on: 57 have had it, and it is bad on 1 of them (1.75%)\n"
            #expect(raised.exitCode == 0 && raised.output == text)
            // The time of the new share begins.
            #expect(try await bundlectl.json(advance)["reason"]?.string == "soaking")
        }
    }

    @Test(arguments: [false, true])
    func `a bad release ends at its share, and cron's mail says so`(isSigned: Bool) async throws {
        try await withRollout("1%", isSigned: isSigned) { publisher, bundlectl, metrics, advance in
            metrics.tell(active: "57", bad: "3")
            let feed = try publisher.feed
            let held = try await bundlectl.run(advance + ["-q", "--hold-only"])
            #expect(
                held.exitCode == 11 && held.output == "" && held.errorOutput.contains("it is bad on 3 of them (5.26%)")
            )
            let present = try publisher.feed
            #expect(present == feed)
            let revoked = try await bundlectl.run(advance + ["-q"])
            #expect(revoked.exitCode == 11 && revoked.output == "", "\(revoked.output)")
            #expect(revoked.errorOutput.contains("shop@1.1.0 is revoked from now on"), "\(revoked.errorOutput)")
            let after = try publisher.feed
            #expect(after["versions"]?.array?.first?["revoked"] == true)
            #expect(try await bundlectl.run(advance).exitCode == 11)
            let last = try publisher.feed
            #expect(last == after)
        }
    }

    @Test func `without evidence nothing changes, and cron's mail says why`() async throws {
        try await withRollout("1%") { publisher, bundlectl, metrics, advance in
            let (now, feed) = (advance + ["--soak", "0s", "-q"], try publisher.feed)
            for (active, bad, reason) in [
                ("", "0", "no installation tells of the release"), ("57", "", "nothing tells on how many"),
                ("NaN", "0", "isn't a time and a number"),
            ] {
                metrics.tell(active: active, bad: bad)
                let result = try await bundlectl.run(now)
                #expect(result.exitCode == 12 && result.output == "", "\(result)")
                #expect(result.errorOutput.contains(reason), "\(result.errorOutput)")
            }
            metrics.server.fail("/api/v1/query", with: [.status(.serviceUnavailable)])
            #expect(try await bundlectl.run(now).errorOutput.contains("responded with 503"))
            await metrics.server.stop()
            #expect(try await bundlectl.run(now).exitCode == 12)
            let present = try publisher.feed
            #expect(present == feed)
            try await metrics.server.start()
        }
    }

    @Test func `queries of one's own are sent as they are`() async throws {
        try await withRollout("1%") { _, bundlectl, metrics, advance in
            metrics.tell(active: "57", bad: "0")
            let own = ["--query-active", #"sum(x{a="b c"})"#, "--query-bad", "bad_reports"]
            let result = try await bundlectl.run(advance + own)
            #expect(result.exitCode == 0)
            let queries = metrics.server.requestedPaths.map { $0.removingPercentEncoding }
            #expect(queries == [#"/api/v1/query?query=sum(x{a="b c"})"#, "/api/v1/query?query=bad_reports"])
        }
    }
}
