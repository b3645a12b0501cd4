import BundleModel
import BundleTesting
import BundleTrust
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization
import Testing

@testable import BundleUpdate

/// A server that sends too much, or nothing, in place of any document.
@Suite("The transfer of signed documents")
struct DocumentTransferTests {
    private static let documents = [
        "2.root.json", "timestamp.json", "2.snapshot.json", "2.targets.json", "2.feed.json", "feed.json",
    ]

    @Test("data without an end is read up to a bound, and changes nothing", arguments: documents)
    func endlessData(_ name: String) async throws {
        try await TrustFixture.using { fixture in
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            let source = EndlessSource()
            fixture.signer.publisher.response(name == "feed.json" ? fixture.signer.feedCopyName : name) { _ in
                OriginResponse(head: HTTPResponse(status: .ok), body: source.body())
            }
            #expect(await fixture.client.failure()?.code == .invalidFeed)
            let limits = [TrustLimits.targetsByteCount, Feed.maximumByteCount]
            #expect(source.byteCount > 0 && source.byteCount <= (limits.max() ?? 0) + EndlessSource.chunk.count)
            try fixture.expectUnharmed()
        }
    }

    @Test("a document that never comes ends the check after a minute, and changes nothing", arguments: documents)
    func slowData(_ name: String) async throws {
        try await TrustFixture.using { fixture in
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            let clock = fixture.client.clock
            fixture.signer.publisher.response(name == "feed.json" ? fixture.signer.feedCopyName : name) { _ in
                clock.advance(by: .seconds(61))
                // Nobody moves the clock so far: the client ends the transfer.
                try await clock.sleep(for: .seconds(86_400))
                throw OriginResponse.connectionLost
            }
            let error = await fixture.client.failure()
            #expect(error?.code == .networkUnavailable)
            #expect(error?.cause is TransferPace.Slowness)
            try fixture.expectUnharmed()
        }
    }
}

/// Bodies of spaces that go on for as long as they are read. Thread-safe.
private final class EndlessSource: Sendable {
    static let chunk = [UInt8](repeating: 0x20, count: 64 << 10)

    private let count = Mutex(0)

    /// How many bytes were read.
    var byteCount: Int { count.withLock { $0 } }

    func body() -> BodyStream {
        BodyStream(
            AsyncThrowingStream<[UInt8], any Error>(unfolding: {
                self.count.withLock { $0 += Self.chunk.count }
                return Self.chunk
            })
        )
    }
}
