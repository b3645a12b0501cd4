import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("Event streams of pages, and what checks find")
struct PageStreamsTests {
    private static let shop = BundleName("shop")!
    private static let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/.bundles/shop/events")

    @Test("a choice of another process reaches an open stream, with its notes, and its end does")
    func otherProcess() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "store")
            let clock = TestClock()
            let store = try BundleStore(at: path, creating: true, now: clock.read)
            try store.installShop("1.1.0", script: "1")
            let other = try BundleStore(at: path, now: clock.read)
            try await withEndpoint(store, clock: clock, now: clock.read) { endpoint in
                try await withRawConnection(to: endpoint.port) { connection async throws in
                    try await connection.send(
                        "GET /.bundles/shop/events HTTP/1.1\r\nHost: shop.localhost\r\n\r\n"
                    )
                    _ = try await connection.head()
                    #expect(try await !connection.event().contains("available"))
                    try Self.record("1.2.0", "A darker footer.", in: other)
                    let event = try await connection.event(moving: clock, by: PageStreams.interval)
                    #expect(event.contains(#""available":"1.2.0","notes":"A darker footer.""#))
                    try Self.record(nil, in: other)
                    let end = try await connection.event(moving: clock, by: PageStreams.interval)
                    #expect(!end.contains("available"))
                }
            }
        }
    }

    @Test("the journal is looked at once a second, and told of only when the state is another one")
    func pace() async throws {
        try await withStore { store in
            try store.installShop("1.1.0", script: "1")
            let streams = PageStreams(store)
            let stream = streams.open(of: Self.shop, Self.request, from: nil)
            streams.look(at: .zero)
            try Self.record("1.2.0", in: store)
            streams.look(at: PageStreams.interval - .milliseconds(1))
            try Self.record("1.3.0", in: store)
            streams.look(at: PageStreams.interval)
            try store.record(UpdateEvent(.reported, Self.shop, at: store.now()))
            for second in 2...4 { streams.look(at: PageStreams.interval * second) }
            streams.end()
            let text = String(decoding: try await stream.bytes(), as: UTF8.self)
            let events = text.components(separatedBy: "data: ").dropFirst()
            #expect(events.count == 2)
            #expect(events.last?.contains(#""available":"1.3.0""#) == true)
        }
    }

    @Test("what was found while no stream was open is told to the next one")
    func closed() async throws {
        try await withStore { store in
            try store.installShop("1.1.0", script: "1")
            let streams = PageStreams(store)
            streams.look(at: .zero)
            try Self.record("1.2.0", in: store)
            streams.look(at: PageStreams.interval)
            let stream = streams.open(of: Self.shop, Self.request, from: nil)
            streams.look(at: PageStreams.interval * 2)
            streams.end()
            let text = String(decoding: try await stream.bytes(), as: UTF8.self)
            #expect(text.components(separatedBy: #""available":"1.2.0""#).count == 2)
        }
    }

    /// Records what a check has chosen.
    private static func record(_ version: String?, _ notes: String? = nil, in store: BundleStore) throws {
        let version = version.flatMap { BundleVersion($0) }
        try store.record(UpdateEvent(.decided, shop, at: store.now(), version: version, detail: notes))
    }
}
