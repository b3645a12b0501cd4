import BundleInstall
import BundleStore
import BundleTar
import BundleTesting
import BundleUpdate
import Foundation
import Testing

@testable import BundleServer

@Suite("What pages have an endpoint do")
struct PageActionsTests {
    @Test("is an update of their bundle: it is accepted, with the state, and the release becomes active")
    func update() async throws {
        try await withShop { shop async throws in
            shop.feeds.publishUpdate()
            let response = try await shop.post("update", try await shop.nonce())
            #expect(response.status == 202)
            #expect(try shop.json(response)["active"]?.string == "1.0.0")
            _ = try await shop.log.line(containing: "by a page: shop 1.1.0 is active now")
            #expect(try await shop.state(cookie: "1.1.0")["active"]?.string == "1.1.0")
            #expect(try await shop.state(cookie: "1.1.0")["nonce"] == nil, "1.1.0 doesn't permit it")
        }
    }

    @Test("is at most one update a minute, whoever asks")
    func interval() async throws {
        try await withShop { shop async throws in
            shop.feeds.set("/feed.json", Array(#"{"name": "shop", "versions": []}"#.utf8))
            let nonce = try await shop.nonce()
            #expect(try await shop.post("update", nonce).status == 202)
            _ = try await shop.log.line(containing: "by a page: shop is up to date")
            shop.clock.advance(by: .seconds(20.5))
            let early = try await shop.post("update", nonce)
            #expect(early.status == 429)
            #expect(early["retry-after"] == "40")
            shop.clock.advance(by: .seconds(39.5))
            #expect(try await shop.post("update", nonce).status == 202)
            try await eventually("the second update", every: .milliseconds(20)) { shop.feeds.requested.count == 2 }
        }
    }

    @Test("is one update at a time, that of an operator included")
    func oneAtATime() async throws {
        try await withShop { shop async throws in
            shop.feeds.hang("/feed.json")
            let nonce = try await shop.nonce()
            #expect(try await shop.post("update", nonce).status == 202)
            try await shop.feeds.waitForRequest("/feed.json")
            shop.clock.advance(by: .seconds(61))
            let second = try await shop.post("update", nonce)
            #expect(second.status == 409)
            #expect(second.text.contains("an update of shop is under way"))
        }
    }

    @Test("is put off after a failure as the server's own updates are, so that a script can't insist")
    func failure() async throws {
        try await withShop { shop async throws in
            let nonce = try await shop.nonce()
            #expect(try await shop.post("update", nonce).status == 202)
            _ = try await shop.log.line(containing: "could not reach m.example.com")
            shop.clock.advance(by: .seconds(61))
            #expect(try await shop.post("update", nonce).status == 202)
            try await eventually("the second job", every: .milliseconds(20)) {
                shop.log.lines.count { $0.contains("by a page: ") } == 2
            }
            #expect(shop.feeds.requested.count == 1)
        }
    }

    @Test("is the activation of what is installed")
    func activation() async throws {
        try await withShop { shop async throws in
            let nonce = try await shop.nonce()
            #expect(try await shop.post("activate", nonce).status == 409, "nothing waits")
            try shop.store.install(Shop.manifest("1.1.0"), ["index.html": Array("new".utf8)], activating: false)
            try shop.store.setPending(shop.name, BundleVersion("1.1.0"), .nextStart)
            try shop.store.setHold(true, shop.name)
            #expect(try await shop.post("activate", nonce).status == 409, "it is on hold")
            try shop.store.setHold(false, shop.name)
            let response = try await shop.post("activate", nonce)
            #expect(response.status == 200)
            #expect(try shop.json(response)["active"]?.string == "1.1.0")
            #expect(try await shop.state(cookie: "1.1.0")["active"]?.string == "1.1.0")
            #expect(try await shop.post("activate", nonce, cookie: "1.1.0").status == 409, "1.1.0 has another nonce")
            #expect(try await shop.nonce("1.1.0") != nonce)
        }
    }

    @Test("is nothing where the release doesn't permit it, also with the nonce that confirms it")
    func unpermitted() async throws {
        try await withShop(pages: #", "health": {"within": "1h"}"#, isUpdated: true) { shop async throws in
            let nonce = try await shop.nonce()
            for action in ["update", "activate"] {
                #expect(try await shop.post(action, nonce).status == 403)
            }
            #expect(shop.feeds.requested.isEmpty)
        }
    }

    @Test("needs the nonce of the active release, which is that of its confirmation while it is on trial")
    func nonce() async throws {
        try await withShop(pages: #", "pages": {"update": true}, "health": {"within": "1h"}"#, isUpdated: true) {
            shop async throws in
            let nonce = try await shop.nonce()
            #expect(nonce == shop.store.snapshot.bundles[shop.name]?.lifecycle.probation?.nonce)
            #expect(try await shop.post("activate", nonce).text.contains("No release waits"))
            try shop.store.confirm(shop.name, BundleVersion("1.0.0"))
            #expect(try await shop.post("activate", nonce).text.contains("ask for the state again"))
            #expect(try await shop.nonce() != nonce)
        }
    }

    @Test("isn't for pages of other bundles, of other origins and of other releases, and not for programs that guess")
    func foreign() async throws {
        try await withShop { shop async throws in
            let nonce = try await shop.nonce()
            let own = "Sec-Fetch-Site: same-origin"
            for action in ["update", "activate"] {
                for cookie in [nil, "0.9.0", "1.1.0"] {
                    #expect(try await shop.post(action, nonce, cookie: cookie).status == 409)
                }
                for guess in [nil, "", "0", String(repeating: "0", count: 32)] {
                    #expect(try await shop.post(action, guess).status == 409)
                }
                for site in [
                    "Sec-Fetch-Site: same-site", "Sec-Fetch-Site: cross-site", "Origin: http://news.localhost",
                ] {
                    #expect(try await shop.post(action, nonce, site: site).status == 403)
                }
                let form = try await shop.post(action, nonce, type: "application/x-www-form-urlencoded")
                #expect(form.status == 415)
                // A page of news has its own origin and, where the host is shared, no cookie of the shop.
                let neighbour = try await shop.post(action, nonce, site: own, host: "news.localhost")
                #expect((400..<500).contains(neighbour.status))
                #expect(try await shop.post(action, nonce, cookie: nil, host: "localhost").status == 409)
                let long = String(repeating: "x", count: 20_000)
                #expect(try await shop.post(action, long).status == 400)
            }
            #expect(shop.feeds.requested.isEmpty)
        }
    }

    @Test(
        "is no update where the server makes none",
        arguments: [(true, "this server uses no network"), (false, "this server doesn't update bundles")]
    )
    func obstacle(_ isOffline: Bool, _ reason: String) async throws {
        try await withShop(hasUpdater: isOffline, isOffline: isOffline) { shop async throws in
            for _ in 1...2 {
                let response = try await shop.post("update", try await shop.nonce())
                #expect(response.status == 409)
                #expect(response.text.contains(reason))
            }
        }
    }
}

/// A shop on an endpoint whose pages may update it.
private struct Shop {
    static let feedURL = "https://m.example.com/feed.json"

    let endpoint: RunningEndpoint
    let store: BundleStore
    let feeds: ScriptedFeeds
    let clock: TestClock
    let log: RecordedLog
    let name = BundleName("shop")

    static func manifest(_ version: String, _ pages: String = #", "pages": {"update": true}"#) -> String {
        #"{"name": "shop", "version": "\#(version)", "origins": [], "feed": "\#(feedURL)"\#(pages)}"#
    }

    func state(cookie: String) async throws -> AnyJSON {
        let fields = ["Cookie: offline-bundles.shop=\(cookie)"]
        return try json(try await endpoint.get("/.bundles/shop", host: "shop.localhost", fields))
    }

    /// What a page of a version acts with.
    func nonce(_ version: String = "1.0.0") async throws -> String {
        try #require(try await state(cookie: version)["nonce"]?.string)
    }

    func json(_ response: RawResponse) throws -> AnyJSON {
        #expect(response["content-type"] == "application/json")
        return try JSONDecoder().decode(AnyJSON.self, from: Data(response.body))
    }

    func post(
        _ action: String,
        _ nonce: String?,
        cookie: String? = "1.0.0",
        site: String = "Sec-Fetch-Site: same-origin",
        type: String = "application/json",
        host: String = "shop.localhost"
    ) async throws -> RawResponse {
        let content = nonce.map { #"{"nonce": "\#($0)"}"# } ?? "{}"
        let cookies = cookie.map { ["Cookie: offline-bundles.shop=\($0)"] } ?? []
        let lines = [
            "POST /.bundles/shop/\(action) HTTP/1.1", "Host: \(host)", site, "Content-Type: \(type)",
            "Content-Length: \(content.utf8.count)",
        ]
        return try await withRawConnection(to: endpoint.port) { connection async throws in
            try await connection.send((lines + cookies).joined(separator: "\r\n") + "\r\n\r\n" + content)
            return try await connection.response()
        }
    }
}

/// - Parameters:
///   - pages: What the manifest says of pages.
///   - isUpdated: Whether there was another release before, so that this one is on trial.
private func withShop(
    pages: String = #", "pages": {"update": true}"#,
    isUpdated: Bool = false,
    hasUpdater: Bool = true,
    isOffline: Bool = false,
    _ body: (Shop) async throws -> Void
) async throws {
    let (clock, log, feeds) = (TestClock(), RecordedLog(), ScriptedFeeds())
    try await withStore(now: clock.read) { store in
        try store.install(#"{"name": "news", "version": "1", "origins": []}"#, ["index.html": "news"])
        if isUpdated { try store.install(Shop.manifest("0.9.0"), ["index.html": "older"]) }
        try store.install(Shop.manifest("1.0.0", pages), ["index.html": "old"])
        var configuration = Updater.Configuration()
        configuration.isScheduled = true
        let installer = Installer(store, formats: .zipAndTar)
        let updater = Updater(store, installer: installer, transport: feeds, configuration: configuration)
        try await withEndpoint(
            store,
            updater: hasUpdater ? updater : nil,
            clock: clock,
            now: clock.read,
            log: log,
            configure: { configuration in
                configuration.isOffline = isOffline
                configuration.checkInterval = nil
            }
        ) { endpoint in
            try await body(
                Shop(endpoint: endpoint, store: store, feeds: feeds, clock: clock, log: log)
            )
        }
    }
}
