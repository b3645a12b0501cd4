import BundleStore
import BundleTesting
import Testing

@testable import BundleServer

/// The responses to an open page when another version becomes active.
@Suite("The version of a page")
struct EndpointVersionCookieTests {
    fileprivate static let host = "shop.localhost"
    private static let document = ["Sec-Fetch-Dest: document", "Accept: text/html"]

    /// A connection that stays in a loop, and one that is migrated to a channel first.
    enum Reader: String, Sendable, CaseIterable {
        case loop
        case channel
    }

    @Test("is set by a cookie, once", arguments: Reader.allCases)
    func told(_ reader: Reader) async throws {
        try await withShop { endpoint, _ async throws in
            try await endpoint.connect(reader) { connection async throws in
                let page = try await connection.get("/", host: Self.host, Self.document)
                let cookie = "offline-bundles.shop=1.0.0"
                #expect(page["set-cookie"] == "\(cookie); Path=/; SameSite=Lax; HttpOnly")
                #expect(
                    try await connection.get("/", host: Self.host, Self.document + ["Cookie: a=b; \(cookie)"])[
                        "set-cookie"
                    ] == nil
                )
                let tag = try #require(page["etag"])
                let fresh = try await connection.get("/", host: Self.host, Self.document + ["If-None-Match: \(tag)"])
                #expect(fresh.status == 304)
                #expect(fresh["set-cookie"] != nil)
                #expect(try await connection.get("/index.html", host: Self.host)["set-cookie"] == nil)
                #expect(try await connection.get("/app.js", host: Self.host, Self.document)["set-cookie"] == nil)
                let frame = ["Sec-Fetch-Dest: iframe", "Accept: text/html"]
                #expect(try await connection.get("/", host: Self.host, frame)["set-cookie"] == nil)
                #expect(try await connection.get("/", host: Self.host, ["Accept: text/html"])["set-cookie"] != nil)
            }
        }
    }

    @Test("is also that of its parts, while it is retained", arguments: Reader.allCases)
    func kept(_ reader: Reader) async throws {
        try await withShop { endpoint, activate async throws in
            try await endpoint.connect(reader) { connection async throws in
                func script(_ cookie: String?) async throws -> String {
                    try await connection.get("/app.js", host: Self.host, cookie.map { ["Cookie: \($0)"] } ?? []).text
                }
                #expect(try await script("offline-bundles.shop=1.0.0") == "one")
                try await activate("1.1.0", "two")
                #expect(try await script("offline-bundles.shop=1.0.0") == "one")
                #expect(try await script("x=y; offline-bundles.shop=1.0.0; z=1") == "one")
                #expect(try await script("offline-bundles.shop=1.1.0") == "two")
                #expect(try await script("offline-bundles.shop=0.9.0") == "two")
                #expect(try await script("offline-bundles.shopping=1.0.0") == "two")
                #expect(try await script("xoffline-bundles.shop=1.0.0") == "two")
                #expect(try await script(nil) == "two")
            }
        }
    }

    @Test("changes when the page is opened again, and not in a frame", arguments: Reader.allCases)
    func reopened(_ reader: Reader) async throws {
        try await withShop { endpoint, activate async throws in
            try await activate("1.1.0", "two")
            let old = "Cookie: offline-bundles.shop=1.0.0"
            try await endpoint.connect(reader) { connection async throws in
                let page = try await connection.get("/", host: Self.host, Self.document + [old])
                #expect(page["set-cookie"]?.hasPrefix("offline-bundles.shop=1.1.0;") == true)
                #expect(page.text == "page of two")
                let frame = try await connection.get(
                    "/",
                    host: Self.host,
                    ["Sec-Fetch-Dest: iframe", "Accept: text/html", old]
                )
                #expect(frame["set-cookie"] == nil)
                #expect(frame.text == "page of one")
            }
        }
    }

    @Test("isn't sent when that is switched off")
    func off() async throws {
        try await withShop(configure: { $0.setsVersionCookies = false }) { endpoint, activate async throws in
            #expect(try await endpoint.get("/", host: Self.host, Self.document)["set-cookie"] == nil)
            try await activate("1.1.0", "two")
            #expect(
                try await endpoint.get("/app.js", host: Self.host, ["Cookie: offline-bundles.shop=1.0.0"]).text == "two"
            )
        }
    }
}

extension RunningEndpoint {
    fileprivate func connect(
        _ reader: EndpointVersionCookieTests.Reader,
        _ body: (RawConnection) async throws -> Void
    ) async throws {
        try await withRawConnection(to: port) { connection async throws in
            if reader == .channel {
                _ = try await connection.get("/app.js", host: EndpointVersionCookieTests.host, ["Range: bytes=0-0"])
            }
            try await body(connection)
        }
    }
}

private func withShop(
    configure: (inout BundleEndpoint.Configuration) -> Void = { _ in },
    _ body: (RunningEndpoint, _ activate: (String, String) async throws -> Void) async throws -> Void
) async throws {
    try await withStore { store in
        let other = try BundleStore(at: store.path)
        func install(_ version: String, _ text: String) throws {
            try other.install(
                #"{"name": "shop", "version": "\#(version)", "origins": []}"#,
                ["index.html": "page of \(text)", "app.js": text]
            )
        }
        try install("1.0.0", "one")
        try store.refresh()
        let clock = TestClock()
        try await withEndpoint(store, clock: clock, configure: configure) { endpoint in
            // The watcher, and what writes statistics.
            try await clock.waitForSleeps(2)
            try await body(endpoint) { version, text in
                try install(version, text)
                try await clock.step(by: StoreChangeService.interval)
            }
        }
    }
}
