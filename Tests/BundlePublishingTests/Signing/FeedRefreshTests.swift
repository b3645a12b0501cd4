import BundleStore
import BundleTesting
import BundleTrust
import Foundation
import Testing

@testable import BundlePublishing

struct FeedRefreshTests {
    private func refresh(_ site: SignedSite) throws -> RefreshReport {
        try site.folder.refresh(signing: site.signing(site.keys(.online)))
    }

    @Test(
        "a feed is signed again from half of a life on, with the online key alone",
        arguments: [(6.9, false), (7, true)]
    )
    func due(_ days: Double, _ isDue: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let before = try directory.snapshot(of: "www")
            let report = try refresh(site.later(byDays: days))
            #expect(report.isRefreshed == isDue)
            #expect(report.signedUntil == SignedSite.start + (isDue ? days + 14 : 14) * 86_400)
            #expect(try (directory.snapshot(of: "www") == before) == !isDue)
        }
    }

    @Test("signing again in time keeps devices up to date, and after that they refuse the feed until it is done")
    func followed() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let device = try site.device()
            try site.publish(BundleVersion("1.0.0"))
            _ = try await site.follow(device)
            let later = site.later(byDays: 15)
            let error = await #expect(throws: TrustError.self) { _ = try await later.follow(device) }
            #expect(error?.code == .expired)
            #expect(try refresh(later).isRefreshed)
            #expect(try await later.follow(device).count == 1)
        }
    }

    @Test("what an interrupted publication hasn't written is signed again at once")
    func interrupted() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let timestamp = try directory.read("www/timestamp.json")
            try site.publish(BundleVersion("1.1.0"))
            try directory.write(timestamp, to: "www/timestamp.json")
            #expect(try refresh(site).isRefreshed)
            #expect(try await site.follow(site.device()).count == 2)
            #expect(try !refresh(site).isRefreshed)
        }
    }

    @Test("a snapshot that isn't the one that the timestamp names is signed again")
    func changedSnapshot() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            // The same version, signed by the same key.
            let other = try site.later(byDays: 1).copy(below: "other/")
            try FileManager.default.removeItem(atPath: other.path(of: "www"))
            try other.publish(BundleVersion("1.0.0"))
            for name in ["1.snapshot.json", "1.feed.json", "1.targets.json", "feed.json"] {
                try directory.write(directory.read("other/www/\(name)"), to: "www/\(name)")
            }
            #expect(try refresh(site).isRefreshed)
            #expect(try await site.follow(site.device()).count == 1)
        }
    }

    @Test("a feed that isn't signed is refused")
    func unsigned() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"), signing: nil)
            let error = #expect(throws: BundleError.self) { try site.folder.refresh(signing: site.signing()) }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("from half a year on the other keys are asked for")
    func warnings() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            #expect(try refresh(site.later(byDays: 180)).warnings.isEmpty)
            #expect(try refresh(site.later(byDays: 183)).warnings.count == 2)
        }
    }
}
