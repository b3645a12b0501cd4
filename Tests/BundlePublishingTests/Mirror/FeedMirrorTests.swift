import BundleStore
import BundleTesting
import BundleTrust
import BundleUpdate
import Foundation
import Testing

@testable import BundlePublishing

struct FeedMirrorTests {
    @Test("a copy has the feed, its signatures and its files as they are, and nothing is copied twice")
    func copy() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            try site.publish(BundleVersion("1.1.0"))
            let report = try await site.mirror()
            #expect(report.copied.count == report.fileCount && report.removed.isEmpty)
            #expect(report.signatures?.firstRoot == Digest(of: try directory.read("keys/1.root.json")))
            let (place, stick) = (try directory.snapshot(of: "www"), try directory.snapshot(of: "stick"))
            for (path, entry) in stick.entries { #expect(place.entries[path] == entry, "\(path)") }
            #expect(try await site.follow(site.device(), in: "stick").count == 2)
            let mode = try FileManager.default.attributesOfItem(atPath: site.path(of: "stick/shop-1.1.0.zip"))
            let other = try FileManager.default.attributesOfItem(atPath: site.path(of: "stick/feed.json"))
            #expect(mode[.posixPermissions] as? Int == other[.posixPermissions] as? Int)
            #expect(try await site.mirror().copied.isEmpty)
            #expect(try directory.snapshot(of: "stick") == stick)
        }
    }

    @Test("what the feed doesn't name any more is removed, and files of others stay")
    func removal() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            try await site.mirror()
            try directory.write("for people", to: "stick/README.txt")
            try site.publish(BundleVersion("1.1.0"))
            try site.change(.revoke(BundleVersion("1.0.0")), signing: site.signing())
            let report = try await site.mirror()
            #expect(report.removed.contains(site.path(of: "stick/shop-1.0.0.zip")))
            let names = Set(try directory.snapshot(of: "stick").entries.keys)
            #expect(names.isSuperset(of: ["README.txt", "shop-1.1.0.zip", "3.snapshot.json"]))
            #expect(names.isDisjoint(with: ["shop-1.0.0.zip", "1.snapshot.json", "2.snapshot.json", "1.targets.json"]))
            #expect(try await site.follow(site.device(), in: "stick")["shop-1.1.0.zip"] != nil)
        }
    }

    @Test("what is in the folder before the first copy stays")
    func firstCopy() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            for name in ["shop-0.9.0.zip", "7.targets.json"] { try directory.write("mine", to: "stick/\(name)") }
            #expect(try await site.mirror().removed.isEmpty)
            for name in ["shop-0.9.0.zip", "7.targets.json"] {
                #expect(try directory.read("stick/\(name)") == Array("mine".utf8))
            }
        }
    }

    @Test("nothing is written into a folder behind a link")
    func link() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let archive = Array("an archive".utf8)
            try directory.write(archive, to: "www/sub/shop-1.0.0.zip")
            let digest = Digest(of: archive)
            let entry = #""version": "1.0.0", "src": "sub/shop-1.0.0.zip", "size": 10, "sha256": "\#(digest)""#
            try directory.write(#"{"name": "shop", "versions": [{\#(entry)}]}"#, to: "www/feed.json")
            for folder in ["stick", "elsewhere"] {
                try FileManager.default.createDirectory(
                    atPath: site.path(of: folder),
                    withIntermediateDirectories: true
                )
            }
            try FileManager.default.createSymbolicLink(
                atPath: site.path(of: "stick/sub"),
                withDestinationPath: site.path(of: "elsewhere")
            )
            let error = await #expect(throws: BundleError.self) { try await site.mirror(by: .firstUse) }
            #expect(error?.code == .outputUnavailable)
            #expect(try directory.snapshot(of: "elsewhere").entries.isEmpty)
            try FileManager.default.removeItem(atPath: site.path(of: "stick/sub"))
            try await site.mirror(by: .firstUse)
            #expect(try directory.read("stick/sub/shop-1.0.0.zip") == archive)
        }
    }

    @Test("a feed without signatures is copied too, and one that says that it is signed isn't without them")
    func unsigned() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"), signing: nil)
            let report = try await site.mirror(by: .firstUse)
            #expect(report.signatures == nil && report.copied.count == report.fileCount)
            #expect(try directory.read("stick/feed.json") == directory.read("www/feed.json"))
            await #expect(throws: BundleError.self) { try await site.mirror(by: .firstUse, for: 90) }
            await #expect(throws: BundleError.self) { try await site.mirror() }
            let feed = String(decoding: try directory.read("www/feed.json"), as: UTF8.self)
            let signed = feed.replacing("{", with: "{\"signed\": true,", maxReplacements: 1)
            try directory.write(signed, to: "www/feed.json")
            let before = try directory.snapshot(of: "stick")
            let error = await #expect(throws: BundleError.self) { try await site.mirror(by: .firstUse) }
            #expect((error?.cause as? TrustError)?.code == .missing)
            #expect(try directory.snapshot(of: "stick") == before)
        }
    }

    @Test("a feed of other roots than those that are given is refused, and nothing of it is copied")
    func anchors() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let root = try directory.read("keys/1.root.json")
            _ = try SignedSite(directory, below: "other-")
            let other = try directory.read("other-keys/1.root.json")
            for anchor in [FeedOrigin.Anchor.digest(Digest(of: other)), .roots([other])] {
                let error = await #expect(throws: BundleError.self) { try await site.mirror(by: anchor) }
                #expect(error?.code == .invalidFeed)
            }
            #expect(try directory.snapshot(of: "stick").entries.isEmpty)
            #expect(try await site.mirror(by: .digest(Digest(of: root))).signatures?.isFirstUse == false)
            #expect(try await site.mirror(by: .firstUse).signatures?.isFirstUse == true)
        }
    }

    @Test("all roots are copied, also where the publisher knows fewer of them or more")
    func roots() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let device = try site.device()
            for role in KeyRole.allCases {
                _ = try site.keys.rotate(role, feeds: [site.path(of: "www")], passphrase: { _ in [] }) { _ in nil }
            }
            let all = try (1...4).map { try directory.read("keys/\($0).root.json") }
            for (count, folder) in [(1, "first"), (4, "all")] {
                try await site.mirror(to: folder, by: .roots(Array(all.prefix(count))))
                #expect(try (1...4).map { try directory.read("\(folder)/\($0).root.json") } == all)
                #expect(try await site.follow(device, in: folder).count == 1)
            }
        }
    }

    @Test("a file that the feed names is verified before it gets its name")
    func changedFile() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            try await site.mirror()
            try site.publish(BundleVersion("1.1.0"))
            let archive = try directory.read("www/shop-1.1.0.zip")
            for wrong in [Array(archive.dropLast()) + [1], Array(archive.dropLast()), archive + [0]] {
                try directory.write(wrong, to: "www/shop-1.1.0.zip")
                await #expect(throws: BundleError.self) { try await site.mirror() }
                #expect(try await site.follow(site.device(), in: "stick").count == 1)
                #expect(try directory.snapshot(of: "stick").entries["shop-1.1.0.zip"] == nil)
            }
            try directory.write(archive, to: "www/shop-1.1.0.zip")
            try await site.mirror()
            #expect(try await site.follow(site.device(), in: "stick").count == 2)
        }
    }

    @Test(
        "what was received of a file before is completed, and what is another file's begins again",
        arguments: [true, false]
    )
    func resumption(isRight: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let archive = try directory.read("www/shop-1.0.0.zip")
            let part = "stick/.mirror-\(Digest(of: archive))"
            try directory.write(isRight ? Array(archive.prefix(100)) : Array(repeating: 0, count: 100), to: part)
            try await site.mirror()
            #expect(try directory.read("stick/shop-1.0.0.zip") == archive)
            #expect(try !directory.snapshot(of: "stick").entries.keys.contains { $0.hasPrefix(".mirror-") })
        }
    }

    @Test(
        "a folder with keys, another publisher's copy, another bundle's, or a later one is refused, and so is the place itself"
    )
    func otherFolders() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let other = try SignedSite(directory, below: "other-")
            try site.publish(BundleVersion("1.0.0"))
            try other.publish(BundleVersion("1.0.0"))
            try FileManager.default.copyItem(atPath: site.path(of: "www"), toPath: site.path(of: "www-before"))
            try FileManager.default.copyItem(atPath: other.path(of: "www"), toPath: site.path(of: "www-other"))
            try await site.mirror()
            try site.publish(BundleVersion("1.1.0"))
            try await site.mirror()
            let before = try directory.snapshot(of: "stick")
            let cases: [(BundleError.Code, () async throws -> MirrorReport)] = [
                (.invalidArgument, { try await site.mirror("www-other", by: .firstUse) }),
                (.invalidFeed, { try await site.mirror("www-before") }),
                (.invalidArgument, { try await site.mirror("stick") }),
                (.invalidArgument, { try await site.mirror(to: "keys") }),
            ]
            for (code, body) in cases {
                let error = await #expect(throws: BundleError.self) { _ = try await body() }
                #expect(error?.code == code)
            }
            try directory.write(#"{"name": "docs", "versions": []}"#, to: "docs/feed.json")
            let error = await #expect(throws: BundleError.self) { try await site.mirror(to: "docs") }
            #expect(error?.code == .invalidArgument)
            #expect(try directory.snapshot(of: "stick") == before)
        }
    }

    @Test(
        "a feed that leads out of its folder, or to a hidden file, isn't copied",
        arguments: ["https://cdn.example/shop-1.0.0.zip", "shop-1.0.0.zip?x", "a%2Fb.zip", ".htaccess", ".git/config"]
    )
    func elsewhere(source: String) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let digest = String(repeating: "0", count: 64)
            let feed =
                #"{"name": "shop", "versions": [{"version": "1.0.0", "src": "\#(source)", "size": 1, "sha256": "\#(digest)"}]}"#
            try directory.write(feed, to: "www/feed.json")
            await #expect(throws: BundleError.self) { try await site.mirror(by: .firstUse) }
            #expect(try directory.snapshot(of: "stick").entries.isEmpty)
        }
    }
}
