import BundleNetwork
import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import BundleServer

@Suite("Checks and updates that are begun on the dashboard")
struct DashboardJobsTests {
    private static let feedURL = "https://m.example.com/feed.json"

    @Test func `update a bundle in the background, and say what they have come to`() async throws {
        try await withFeed { feeds, dashboard async throws in
            feeds.publishUpdate()
            #expect(try await dashboard.act("check").status == 200)
            #expect(try await dashboard.outcome(1)["text"]?.string?.hasPrefix("shop 1.1.0 is available, ") == true)
            #expect(try await dashboard.bundle()["available"]?.string == "1.1.0")
            #expect(try await dashboard.act("update").status == 200)
            let outcome = try await dashboard.outcome(2)
            #expect(outcome["isFailure"] == .bool(false))
            #expect(outcome["text"]?.string?.hasPrefix("shop 1.1.0 is active now; ") == true)
            #expect(try await dashboard.endpoint.get("/shop/").text == "new")
            #expect(try await dashboard.act("update").status == 200)
            #expect(try await dashboard.outcome(3)["text"]?.string == "shop is up to date at 1.1.0")
        }
    }

    @Test func `aren't put off because a scheduled one has failed`() async throws {
        try await withFeed { feeds, dashboard async throws in
            for number in 1...2 {
                #expect(try await dashboard.act("check").status == 200)
                let outcome = try await dashboard.outcome(number)
                #expect(outcome["isFailure"] == .bool(true))
                #expect(outcome["text"]?.string?.contains("could not reach m.example.com") == true)
                #expect(feeds.requested.count == number)
            }
            #expect(try await dashboard.bundle()["failure"]?.string?.contains("could not reach") == true)
        }
    }

    @Test func `are one at a time for a bundle, and end with the server`() async throws {
        try await withFeed { feeds, dashboard async throws in
            feeds.hang("/feed.json")
            #expect(try await dashboard.act("update").status == 200)
            let job = try #require(try await dashboard.bundle()["job"])
            #expect(job["kind"]?.string == "update")
            for action in ["update", "check"] {
                let response = try await dashboard.act(action)
                #expect(response.status == 503)
                #expect(try RunningDashboard.json(response)["message"]?.string == "an update of shop is under way")
            }
            // The server's end cancels the request that hangs.
        }
    }

    @Test func `say that there is nothing to be had while the bundle is on hold`() async throws {
        try await withFeed { feeds, dashboard async throws in
            feeds.publishUpdate()
            #expect(try await dashboard.act("hold").status == 200)
            #expect(try await dashboard.act("update").status == 200)
            #expect(try await dashboard.outcome(1)["text"]?.string == "shop is up to date at 1.0.0; it is on hold")
        }
    }

    @Test(arguments: [(true, "this server uses no network"), (false, "this server doesn't update bundles")])
    func `aren't offered where nothing can be updated`(isOffline: Bool, reason: String) async throws {
        try await withStore { store in
            try store.installShop(feed: Self.feedURL)
            try await withDashboard(
                store,
                feeds: isOffline ? ScriptedFeeds() : nil,
                configure: { $0.isOffline = isOffline }
            ) { dashboard async throws in
                #expect(try await dashboard.bundle()["updateObstacle"]?.string == reason)
                let response = try await dashboard.act("update")
                #expect(response.status == 400)
                #expect(response.text.contains(reason))
            }
        }
    }

    @Test func `aren't offered for a bundle without a feed`() async throws {
        try await withStore { store in
            try store.installShop()
            try await withDashboard(store, feeds: ScriptedFeeds()) { dashboard async throws in
                #expect(try await dashboard.bundle()["updateObstacle"]?.string == "it has no feed")
                #expect(try await dashboard.act("check").status == 200)
                #expect(try await dashboard.outcome(1)["text"]?.string?.contains("bundle shop has no feed") == true)
            }
        }
    }

    private func withFeed(_ body: (ScriptedFeeds, RunningDashboard) async throws -> Void) async throws {
        try await withStore { store in
            try store.installShop(feed: Self.feedURL)
            let feeds = ScriptedFeeds()
            try await withDashboard(store, feeds: feeds) { try await body(feeds, $0) }
        }
    }
}

extension RunningDashboard {
    /// The outcome of the first bundle with this number, once it is there.
    fileprivate func outcome(_ number: Int) async throws -> AnyJSON {
        while true {
            if let outcome = try await bundle()["outcome"], outcome["number"]?.integer == number { return outcome }
        }
    }
}
