import BundleServing
import BundleStore
import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import BundleServer

@Suite("Event streams of pages")
struct PageStreamsTests {
    @Test("only so many streams are open; one that is closed makes room")
    func bounded() async throws {
        try await withStore { store in
            try store.install(#"{"name": "shop", "version": "1", "origins": []}"#, ["index.html": "x"])
            let (streams, shop) = (PageStreams(store), BundleName("shop"))
            let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/.bundles/shop/events")
            func open() -> ServedResponse { streams.open(of: shop, request, from: nil) }
            var all = (1...PageStreams.limits.count).map { _ in open() }
            #expect(all.allSatisfy { $0.head.status == .ok })
            #expect(open().head.status == .serviceUnavailable)
            all.removeLast()
            #expect(open().head.status == .ok)
            streams.end()
            #expect(open().head.status == .serviceUnavailable)
        }
    }

    @Test("one more than a client may have ends its oldest, and no other client's")
    func boundedPerClient() async throws {
        try await withStore { store in
            try store.install(#"{"name": "shop", "version": "1", "origins": []}"#, ["index.html": "x"])
            let (streams, shop) = (PageStreams(store), BundleName("shop"))
            let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/.bundles/shop/events")
            func open(_ address: String) throws -> ServedResponse {
                let address = try SocketAddress(ipAddress: address, port: 1)
                return streams.open(
                    of: shop,
                    request,
                    from: address.withSockAddr { address, _ in PeerAddress(address) }
                )
            }
            let other = try open("192.0.2.2")
            let own = try (1...PageStreams.limits.countPerClient).map { try open("2001:db8::\($0)") }
            let last = try open("2001:db8::ffff")
            #expect(last.head.status == .ok)
            // A stream that has ended has a last event; the others go on.
            #expect(String(decoding: try await own[0].bytes(), as: UTF8.self).contains(#""active":"1""#))
            streams.beat(at: EventStreamLimits.heartbeat)
            streams.end()
            for stream in [other, own[1], last] {
                #expect(String(decoding: try await stream.bytes(), as: UTF8.self).hasSuffix(":\n\n"))
            }
        }
    }

    @Test("a change while a stream is being opened isn't lost", arguments: 1...20)
    func race(_ number: Int) async throws {
        try await withStore { store in
            for version in ["1", "2"] {
                try store.install(
                    #"{"name": "shop", "version": "\#(version)", "origins": []}"#,
                    ["index.html": version]
                )
            }
            let (streams, shop) = (PageStreams(store), BundleName("shop"))
            let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/.bundles/shop/events")
            async let change: Void = Task.detached {
                try store.rollBack(shop)
                streams.storeChanged(to: store.snapshot)
            }.value
            let stream = streams.open(of: shop, request, from: nil)
            try await change
            streams.end()
            let events = String(decoding: try await stream.bytes(), as: UTF8.self).components(separatedBy: "data: ")
            #expect(events.last?.contains(#""active":"1""#) == true)
        }
    }
}
