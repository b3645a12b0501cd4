import BundleStore
import BundleTesting
import BundleUpdate
import HTTPCore
import HTTPTypes
import Testing

@Suite("Single files of an archive, fetched as ranges")
struct RangeDownloadTests {
    @Test("ranges are resumed by another process where they stopped")
    func resumedRanges() async throws {
        try await DeliveryFixture.using(patches: 0) { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let archive = try #require(try publisher.files()[DeliveryFixture.archive])
            publisher.response(DeliveryFixture.archive) { request in
                guard request.headerFields[.range] != nil else { throw BundleError(.networkUnavailable, "no route") }
                let part = RequestedPart(request.headerFields[.range], archive.count)
                // The first range breaks after 1,000 bytes, and then nothing comes any more.
                guard part.range.count > 1_000, client.network.requests.count == 3 else {
                    throw BundleError(.networkUnavailable, "no route")
                }
                return part.response(Array(archive[part.range].prefix(1_000)), failure: OriginResponse.connectionLost)
            }
            await #expect(throws: BundleError.self) { try await fixture.update() }
            #expect(client.page == "1.0.0")
            publisher.network.response(PublisherFixture.base + DeliveryFixture.archive, file: archive)
            let report = try await fixture.update()
            #expect(report.plan == .entries)
            try fixture.expectUpdated()
        }
    }

    @Test("single files that an earlier attempt has left are neither predicted nor fetched again")
    func countedRanges() async throws {
        let new = DeliveryFixture.old.merging(["n.js": DeliveryFixture.text(6, 900_000)]) { $1 }
        try await DeliveryFixture.using(patches: 0, new: new) { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let archive = try #require(try publisher.files()[DeliveryFixture.archive])
            let hasBegun = Latch()
            publisher.response(DeliveryFixture.archive) { request in
                let part = RequestedPart(request.headerFields[.range], archive.count)
                // Nothing comes of its second half, once a part of the first one is there.
                guard part.isPart, part.range.lowerBound < archive.count / 2 else {
                    try await hasBegun.wait()
                    throw BundleError(.networkUnavailable, "no route")
                }
                return part.response(Array(archive[part.range]))
            }
            #expect(await client.failure { if $0.done > 200_000 { hasBegun.open() } } != nil)
            publisher.network.response(PublisherFixture.base + DeliveryFixture.archive, file: archive)
            let report = try await fixture.update()
            #expect(report.plan == .entries)
            #expect(report.receivedByteCount == report.predictedByteCount)
            #expect(report.receivedByteCount < archive.count - 200_000)
            try fixture.expectUpdated(to: new)
        }
    }

    @Test("a server that ignores ranges is asked for one of them")
    func ignoredRanges() async throws {
        let new = DeliveryFixture.old.merging(["n.js": DeliveryFixture.text(6, 900_000)]) { $1 }
        try await DeliveryFixture.using(patches: 0, new: new) { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let archive = try #require(try publisher.files()[DeliveryFixture.archive])
            publisher.response(DeliveryFixture.archive) { _ in OriginResponse(.ok, [:], [archive]) }
            let report = try await fixture.update()
            #expect((report.plan, report.failures.map(\.plan)) == (.archive, [.entries]))
            #expect(client.network.requests.count { $0.headerFields[.range] != nil } == 1)
        }
    }
}
