import BundleStore
import BundleTesting
import BundleTrust
import BundleUpdate
import Foundation
import Testing

@testable import BundlePublishing

struct SignedPublishingTests {
    private let first = BundleVersion("1.0.0")
    private let second = BundleVersion("1.1.0+b1")
    private let third = BundleVersion("1.2.0")

    private func withSite(_ body: (SignedSite) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try await body(SignedSite(directory))
        }
    }

    /// The code with which `body` is refused, after which the web server's folder is as it was.
    private func refusal(_ site: SignedSite, _ body: () throws -> Void) throws -> BundleError.Code? {
        let before = try site.directory.snapshot(of: "www")
        let error = #expect(throws: BundleError.self, performing: body)
        #expect(try site.directory.snapshot(of: "www") == before)
        return error?.code
    }

    @Test("after keys are made, a publication is signed, and a device that knows the first root trusts it")
    func published() async throws {
        try await withSite { site in
            try site.publish(first)
            let publication = try site.publish(second)
            let targets = try await site.follow(site.device())
            #expect(targets.keys.sorted() == ["shop-1.0.0.zip", "shop-1.1.0%2Bb1.zip"])
            let target = try #require(targets["shop-1.1.0%2Bb1.zip"])
            try target.file.verify(site.directory.read("www/shop-1.1.0+b1.zip"), named: "archive")
            guard case .object(let custom) = target.custom else {
                Issue.record("there is no custom object")
                return
            }
            #expect(custom["name"] == .string("shop"))
            #expect(custom["version"] == .string("1.1.0+b1"))
            #expect(custom["contents"] == .string(try #require(publication.entry.contents).filesDigest.hex))
        }
    }

    @Test("a device that follows the feed trusts each publication and each change after it")
    func followed() async throws {
        try await withSite { site in
            let device = try site.device()
            try site.publish(first)
            #expect(try await site.follow(device).count == 1)
            try site.publish(second)
            #expect(try await site.follow(device).count == 2)
            let rollout = try #require(Rollout(percent: 10))
            try site.change(.rollOut(second, rollout), signing: site.signing(site.keys(.online)))
            #expect(try await site.follow(device).count == 2)
        }
    }

    @Test(
        "a check costs two requests and 700 bytes of bodies without news, and 3 KB beyond the feed with a second release"
    )
    func size() async throws {
        try await withSite { site in
            let device = try site.device()
            try site.publish(first)
            _ = try await site.follow(device)
            try site.publish(second)
            _ = try await site.follow(device)
            #expect(device.byteCounts.reduce(0, +) <= 3_000, "\(device.byteCounts)")
            _ = try await site.follow(device)
            #expect(device.byteCounts.count == 2)
            #expect(device.byteCounts.reduce(0, +) <= 700, "\(device.byteCounts)")
        }
    }

    @Test("keys with one passphrase ask for it once, and keys that aren't needed don't ask")
    func passphrase() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory, passphrase: Array("open".utf8))
            var asked: [String] = []
            let keys = try SigningKeys(site.keys) { file in
                asked.append(file.path)
                return Array("open".utf8)
            }
            try site.publish(first, signing: keys)
            #expect(asked.count == 1)
            #expect(try await site.follow(site.device()).count == 1)
        }
    }

    @Test("documents that were superseded stay for a day")
    func supersededDocuments() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let first = MetadataFile.supersededNames(in: site.path(of: "www"))
            #expect(first.count == 4)
            try site.publish(BundleVersion("1.1.0"))
            #expect(MetadataFile.supersededNames(in: site.path(of: "www")).isSuperset(of: first))
            let late = site.later(byDays: 8)
            _ = try late.folder.refresh(signing: late.signing())
            #expect(MetadataFile.supersededNames(in: site.path(of: "www")).isDisjoint(with: first))
            #expect(try await late.follow(late.device()).count == 2)
        }
    }

    @Test("a publication that ends between the feed and the timestamp leaves devices the feed before")
    func interrupted() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let (feed, timestamp) = try (directory.read("www/feed.json"), directory.read("www/timestamp.json"))
            try site.publish(BundleVersion("1.1.0"))
            try directory.write(timestamp, to: "www/timestamp.json")
            let origin = try FeedOrigin(
                URL(fileURLWithPath: site.path(of: "www/feed.json")),
                over: ScriptedTransport(),
                Updater.Configuration()
            )
            let published = try await origin.read(site.signing().anchor, at: SignedSite.start)
            #expect(published.bytes == feed)
        }
    }

    @Test("only the feed and the timestamp change in place")
    func consistent() async throws {
        try await withSite { site in
            try site.publish(first)
            let before = try site.directory.snapshot(of: "www").files
            try site.publish(second)
            let after = try site.directory.snapshot(of: "www").files
            let changed = before.filter { after[$0.key] != $0.value }.keys.sorted()
            #expect(changed == ["feed.json", "timestamp.json"])
        }
    }

    @Test("a change of a signed feed without a key, or of one that isn't signed with one, is refused")
    func missingKeys() async throws {
        try await withSite { site in
            try site.publish(first, signing: nil)
            #expect(try refusal(site) { try site.change(.revoke(first), signing: site.signing()) } == .invalidArgument)
            try site.publish(first)
            #expect(try refusal(site) { try site.change(.revoke(first), signing: nil) } == .invalidArgument)
            #expect(try refusal(site) { try site.publish(second, signing: nil) } == .invalidArgument)
            let online = try site.signing(site.keys(.online))
            #expect(try refusal(site) { try site.publish(second, signing: online) } == .invalidArgument)
        }
    }

    @Test("no key signs anything for a folder whose roots it doesn't know")
    func unknownRoots() async throws {
        try await withSite { site in
            try site.publish(first)
            let folder = try site.keys(.release, .online)
            try FileManager.default.removeItem(atPath: "\(folder.path)/1.root.json")
            let keys = try site.signing(folder)
            #expect(try refusal(site) { try site.publish(second, signing: keys) } == .invalidArgument)
            #expect(try refusal(site) { try site.change(.revoke(first), signing: keys) } == .invalidArgument)
        }
    }

    @Test("keys of another root are refused")
    func otherKeys() async throws {
        try await withSite { site in
            try site.publish(first)
            let other = KeyFolder(site.directory.path(of: "other"))
            try other.initialize(passphrase: nil)
            let keys = try site.signing(other)
            #expect(try refusal(site) { try site.publish(second, signing: keys) } == .invalidFeed)
        }
    }

    @Test("what others have written into the feed is never signed", arguments: ["feed.json", "1.targets.json"])
    func changedFile(_ name: String) async throws {
        try await withSite { site in
            try site.publish(first)
            let text = String(decoding: try site.directory.read("www/\(name)"), as: UTF8.self)
            try site.directory.write(text.replacing("shop", with: "evil"), to: "www/\(name)")
            #expect(try refusal(site) { try site.change(.revoke(first), signing: site.signing()) } == .invalidFeed)
            #expect(try refusal(site) { try site.publish(second) } == .invalidFeed)
        }
    }

    @Test("documents that others have signed count for nothing")
    func foreignDocuments() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(first)
            let other = try SignedSite(directory, below: "other/")
            try other.publish(BundleVersion("6.6.6"))
            for role in ["snapshot", "targets", "feed"] {
                try directory.write(directory.read("other/www/1.\(role).json"), to: "www/77.\(role).json")
            }
            try site.publish(second)
            let targets = try await site.follow(site.device())
            #expect(targets.keys.sorted() == ["shop-1.0.0.zip", "shop-1.1.0%2Bb1.zip"])
            #expect(FileManager.default.fileExists(atPath: directory.path(of: "www/2.snapshot.json")))
        }
    }

    @Test("what the feed offered before it was signed isn't signed, which is told, until it is published again")
    func unsignedBefore() async throws {
        try await withSite { site in
            try site.publish(first, signing: nil)
            let publication = try site.publish(second)
            #expect(publication.warnings.count == 1)
            #expect(publication.warnings.first?.contains("shop@1.0.0 isn't signed") == true)
            #expect(try await site.follow(site.device()).keys.sorted() == ["shop-1.1.0%2Bb1.zip"])
            #expect(try site.publish(first).warnings.isEmpty)
            #expect(try await site.follow(site.device()).count == 2)
        }
    }

    @Test("a revoked release is taken out of the targets by the next publication")
    func revoked() async throws {
        try await withSite { site in
            try site.publish(first)
            try site.change(.revoke(first), signing: site.signing(site.keys(.online)))
            #expect(try await site.follow(site.device()).keys.sorted() == ["shop-1.0.0.zip"])
            try site.publish(second)
            #expect(try await site.follow(site.device()).keys.sorted() == ["shop-1.1.0%2Bb1.zip"])
        }
    }

    @Test("with the release key a release that is revoked or unpublished is taken out of the targets at once")
    func withReleaseKey() async throws {
        try await withSite { site in
            try site.publish(first)
            for version in [second, third] {
                try site.publish(version)
                #expect(try await site.follow(site.device()).count == 2)
                try site.change(version == third ? .unpublish(version) : .revoke(version), signing: site.signing())
                #expect(try await site.follow(site.device()).keys.sorted() == ["shop-1.0.0.zip"])
            }
        }
    }

    @Test(
        "after a publication that was interrupted the next one is signed, and devices trust it",
        arguments: [
            ["timestamp.json"], ["timestamp.json", "feed.json"], ["timestamp.json", "feed.json", "2.snapshot.json"],
        ]
    )
    func interrupted(_ unwritten: [String]) async throws {
        try await withSite { site in
            let device = try site.device()
            try site.publish(first)
            _ = try await site.follow(device)
            let before = unwritten.map { try? site.directory.read("www/\($0)") }
            try site.publish(second)
            for (name, bytes) in zip(unwritten, before) {
                if let bytes {
                    try site.directory.write(bytes, to: "www/\(name)")
                } else {
                    try FileManager.default.removeItem(atPath: site.path(of: "www/\(name)"))
                }
            }
            try site.forgetVersion()
            try site.publish(second)
            #expect(try await site.follow(device).count == 2)
        }
    }

    @Test("nothing is signed below a root that has expired")
    func expiredRoot() async throws {
        try await withSite { site in
            try site.publish(first)
            let later = site.later(byDays: 366)
            #expect(try refusal(site) { try later.publish(second) } == .invalidFeed)
        }
    }

    @Test("a folder that was set back in parts is refused", arguments: [false, true])
    func rollback(_ isFeedSetBack: Bool) async throws {
        try await withSite { site in
            try site.publish(first)
            let feed = try site.directory.read("www/feed.json")
            try site.publish(second)
            for file in ["2.snapshot.json", "2.feed.json"] {
                try FileManager.default.removeItem(atPath: site.path(of: "www/\(file)"))
            }
            if isFeedSetBack { try site.directory.write(feed, to: "www/feed.json") }
            #expect(try refusal(site) { try site.change(.revoke(first), signing: site.signing()) } == .invalidFeed)
        }
    }

    @Test(
        "a folder that was set back as a whole is refused by the keys that have signed it, until the online key is another"
    )
    func setBack() async throws {
        try await withSite { site in
            try site.publish(first)
            let backup = try site.copy(below: "backup/")
            try site.publish(second)
            try site.replaceFeed(by: backup)
            #expect(try refusal(site) { try site.change(.revoke(first), signing: site.signing()) } == .invalidFeed)
            #expect(try refusal(site) { try site.publish(second) } == .invalidFeed)
            try FileManager.default.removeItem(atPath: site.path(of: "www"))
            let error = #expect(throws: BundleError.self) { try site.publish(second) }
            #expect(error?.code == .invalidFeed && error?.message.contains("no signature") == true)
            try site.replaceFeed(by: backup)
            let feeds = [site.path(of: "www")]
            _ = try site.keys.rotate(.online, feeds: feeds, passphrase: { _ in [] }, newPassphrase: { _ in nil })
            try site.publish(second)
            #expect(try await site.follow(site.device()).count == 2)
        }
    }

    @Test("keys that have signed less of a feed than others don't refuse it")
    func newer() async throws {
        try await withSite { site in
            try site.publish(first)
            let online = try site.keys(.online)
            try site.change(.revoke(first), signing: site.signing(online))
            try site.publish(second)
            try site.change(.revoke(first), signing: site.signing(online))
        }
    }

    @Test("a feed that says that it is signed isn't written without signatures when its documents are missing")
    func missingDocuments() async throws {
        try await withSite { site in
            try site.publish(first)
            for name in try FileManager.default.contentsOfDirectory(atPath: site.path(of: "www"))
            where name.hasSuffix(".json") && name != "feed.json" {
                try FileManager.default.removeItem(atPath: site.path(of: "www/\(name)"))
            }
            #expect(try refusal(site) { try site.publish(second, signing: nil) } == .invalidArgument)
            #expect(try refusal(site) { try site.change(.revoke(first), signing: nil) } == .invalidArgument)
        }
    }

    @Test("after a clock that ran ahead nothing is signed that devices would refuse, until the online key is another")
    func clockAhead() async throws {
        try await withSite { site in
            let ahead = site.later(byDays: 100)
            try ahead.publish(first)
            #expect(try refusal(site) { try site.publish(second) } == .invalidFeed)
            let feeds = [site.path(of: "www")]
            _ = try site.keys.rotate(.online, feeds: feeds, passphrase: { _ in [] }, newPassphrase: { _ in nil })
            try site.publish(second)
            #expect(try await site.follow(site.device()).count == 2)
        }
    }

    @Test("the time of a signature never goes back")
    func signingTime() async throws {
        try await withSite { site in
            try site.later(byDays: 2).publish(first)
            let before = try #require(try site.signingTime())
            try site.publish(second)
            #expect(try site.signingTime() == before)
        }
    }
}
