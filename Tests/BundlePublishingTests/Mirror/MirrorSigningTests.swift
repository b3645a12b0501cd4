import BundleStore
import BundleTesting
import BundleTrust
import BundleUpdate
import Foundation
import HTTPTypes
import Testing

@testable import BundlePublishing

struct MirrorSigningTests {
    private func code(_ body: () async throws -> Void) async -> TrustError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? TrustError)?.code
        }
    }

    @Test("the online key alone signs a copy for longer than the feed")
    func life() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let report = try await site.mirror(for: 90)
            #expect(report.signatures?.expiry == SignedSite.start + 90 * 86_400)
            #expect(report.signatures?.isExpiryBounded == false)
            let late = site.later(byDays: 89)
            #expect(await code { try await late.follow(late.device()) } == .expired)
            #expect(try await late.follow(late.device(), in: "stick").count == 1)
            let later = site.later(byDays: 90)
            #expect(await code { try await later.follow(later.device(), in: "stick") } == .expired)
        }
    }

    @Test("a folder that was set back since the keys have signed it last isn't signed for longer")
    func setBack() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let backup = try site.copy(below: "backup/")
            try site.change(.revoke(BundleVersion("1.0.0")), signing: site.signing())
            try site.replaceFeed(by: backup)
            let feed = URL(fileURLWithPath: site.path(of: "www/feed.json"))
            let error = await #expect(throws: BundleError.self) {
                try await FeedMirror(FeedFolder(site.path(of: "stick"), now: { SignedSite.start })).copy(
                    FeedOrigin(feed, over: ScriptedTransport(), Updater.Configuration()),
                    by: site.signing().anchor,
                    signing: MirrorSigning(site.signing(), for: 90 * 86_400)
                )
            }
            #expect(error?.code == .invalidFeed)
            #expect(try directory.snapshot(of: "stick").entries.isEmpty)
        }
    }

    @Test("a server's feed that was set back since the keys have signed its copy isn't signed for longer")
    func setBackServer() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let backup = try site.copy(below: "backup/")
            try site.change(.revoke(BundleVersion("1.0.0")), signing: site.signing())
            // The keys of another machine, which hasn't published.
            try site.forgetVersion()
            try await mirrorServer(of: site, to: "stick")
            try site.replaceFeed(by: backup)
            let error = await #expect(throws: BundleError.self) { try await mirrorServer(of: site, to: "other") }
            #expect(error?.code == .invalidFeed)
            #expect(error?.message.contains("https://get.example/shop/feed.json was set back: version 2") == true)
        }
    }

    /// Copies the feed of a server that serves a site's folder.
    private func mirrorServer(of site: SignedSite, to folder: String) async throws {
        let (network, place) = (ScriptedTransport(), "https://get.example/shop/")
        for name in try FileManager.default.contentsOfDirectory(atPath: site.path(of: "www")) {
            network.response(
                place + name,
                file: try Array(Data(contentsOf: URL(filePath: site.path(of: "www/\(name)"))))
            )
        }
        for version in 2...3 { network.response("\(place)\(version).root.json", .notFound, [:], "") }
        let feed = try #require(URL(string: place + "feed.json"))
        _ = try await FeedMirror(FeedFolder(site.path(of: folder), now: { SignedSite.start })).copy(
            FeedOrigin(feed, over: network, Updater.Configuration()),
            by: site.signing().anchor,
            signing: MirrorSigning(site.signing(), for: 90 * 86_400)
        )
    }

    @Test("a copy isn't signed for longer than the targets and the root are")
    func bound() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let report = try await site.mirror(for: 400)
            #expect(report.signatures?.expiry == SignedSite.start + 365 * 86_400)
            #expect(report.signatures?.isExpiryBounded == true)
        }
    }

    @Test(
        "a device goes from the place to a copy of the same version once that of the place has expired, and back to the next one"
    )
    func followed() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let device = try site.device()
            try await site.follow(device)
            try await site.mirror(for: 90)
            // No news as long as what is known lives.
            #expect(try await site.follow(device, in: "stick").count == 1)
            let late = site.later(byDays: 30)
            #expect(await code { try await late.follow(device) } == .expired)
            #expect(try await late.follow(device, in: "stick").count == 1)
            _ = try late.folder.refresh(signing: late.signing())
            try late.publish(BundleVersion("1.1.0"))
            #expect(try await late.follow(device).count == 2)
            #expect(await code { try await late.follow(device, in: "stick") } == .rollback)
        }
    }

    @Test("a device that a copy has brought up to date takes the place's versions from then on")
    func place() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            try await site.mirror(for: 90)
            let device = try site.device()
            try await site.follow(device, in: "stick")
            #expect(try await site.follow(device).count == 1)
            try site.publish(BundleVersion("1.1.0"))
            #expect(try await site.follow(device).count == 2)
        }
    }

    @Test(
        "a copy that is signed for another time is one or the other at each step of writing",
        arguments: [true, false]
    )
    func steps(isSignedForLonger: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            try await site.mirror(for: isSignedForLonger ? nil : 90)
            let feed = URL(fileURLWithPath: site.path(of: "www/feed.json"))
            let published = try await FeedOrigin(feed, over: ScriptedTransport(), Updater.Configuration())
                .read(.firstUse, at: SignedSite.start)
            let signing = isSignedForLonger ? MirrorSigning(try site.signing(), for: 90 * 86_400) : nil
            let documents = try MirroredDocuments(of: published, signing: signing, at: SignedSite.start)
            let writes = MirrorFolder(path: site.path(of: "stick")).writes(published.bytes, documents)
            #expect(writes.count == 7)
            for (name, bytes) in writes {
                try directory.write(bytes, to: "stick/\(name)")
                #expect(try await site.follow(site.device(), in: "stick").count == 1, "\(name)")
            }
            let device = try site.later(byDays: 20).device()
            let isExpired = await code { try await site.later(byDays: 20).follow(device, in: "stick") } == .expired
            #expect(isExpired != isSignedForLonger)
        }
    }

    @Test("a key that isn't the feed's online key signs no copy, and a folder without a root none either")
    func keys() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let other = try SignedSite(directory, below: "other-")
            let origin = try FeedOrigin(
                URL(fileURLWithPath: site.path(of: "www/feed.json")),
                over: ScriptedTransport(),
                Updater.Configuration()
            )
            for folder in [other.keys, try site.keys(.release)] {
                let signing = MirrorSigning(try site.signing(folder), for: 86_400)
                let error = await #expect(throws: BundleError.self) {
                    try await FeedMirror(FeedFolder(site.path(of: "stick"), now: { SignedSite.start })).copy(
                        origin,
                        signing: signing
                    )
                }
                #expect(error?.code == .invalidArgument)
            }
            #expect(try directory.snapshot(of: "stick").entries.isEmpty)
            let online = try site.keys(.online)
            try FileManager.default.removeItem(atPath: site.path(of: "online/1.root.json"))
            #expect(throws: BundleError.self) { try site.signing(online).anchor }
        }
    }
}
