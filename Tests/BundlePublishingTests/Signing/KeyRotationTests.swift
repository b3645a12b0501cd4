import BundleStore
import BundleTesting
import BundleTrust
import Foundation
import Testing

@testable import BundlePublishing

struct KeyRotationTests {
    @discardableResult
    private func rotate(_ role: KeyRole, _ site: SignedSite, passphrase: [UInt8]? = nil) throws -> [RotatedFeed] {
        try site.keys.rotate(
            role,
            feeds: [site.path(of: "www")],
            passphrase: { _ in passphrase ?? [] },
            newPassphrase: { $0 ? passphrase : nil }
        )
    }

    @Test("after any key is replaced, devices that know any earlier root trust the feed", arguments: KeyRole.allCases)
    func rotated(_ role: KeyRole) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let (following, late) = (try site.device(), try site.device())
            try site.publish(BundleVersion("1.0.0"))
            #expect(try await site.follow(following).count == 1)
            try rotate(role, site)
            #expect(try await site.follow(following).count == 1)
            try site.publish(BundleVersion("1.1.0"))
            #expect(try await site.follow(following).count == 2)
            try rotate(role, site)
            #expect(try await site.follow(following).count == 2)
            #expect(try await site.follow(late).count == 2)
        }
    }

    @Test(
        "the new key is alone in its role, and the digest by which devices know the feed stays",
        arguments: KeyRole.allCases
    )
    func overview(_ role: KeyRole) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let before = try site.keys.overview()
            let feeds = try rotate(role, site)
            let after = try site.keys.overview()
            let archive = try site.digest(of: "shop-1.0.0.zip")
            #expect(feeds.map { $0.archives.map(\.path) } == [["shop-1.0.0.zip"]])
            #expect(feeds.map { $0.archives.map(\.sha256) } == [[archive.hex]])
            #expect(after.firstRoot == before.firstRoot)
            #expect(after.rootVersion == 2)
            #expect(after.keys.count == 4)
            let unused = after.keys.filter(\.roles.isEmpty).map(\.id)
            #expect(unused == before.keys.filter { $0.roles == [role] }.map(\.id))
            #expect(Set(after.keys.flatMap(\.roles)) == Set(KeyRole.allCases))
        }
    }

    @Test("what a key that was replaced signs counts for nothing any more", arguments: [KeyRole.release, .online])
    func stolen(_ role: KeyRole) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let thief = KeyFolder(site.path(of: "thief"))
            try FileManager.default.copyItem(atPath: site.keys.path, toPath: thief.path)
            let stolen = try site.signing(thief)
            try rotate(role, site)
            let error = #expect(throws: BundleError.self) {
                try site.publish(BundleVersion("6.6.6"), signing: stolen)
            }
            #expect(error?.code == .invalidArgument)
            #expect(try await site.follow(site.device()).count == 1)
        }
    }

    @Test(
        "what a thief signs with the release key before it and the online key isn't taken over",
        arguments: [["6.6.6"], ["6.6.6", "6.6.7", "6.6.8"]]
    )
    func injected(_ versions: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let thief = try site.copy(below: "thief/")
            for version in versions { try thief.publish(#require(BundleVersion(version))) }
            try rotate(.release, site)
            for name in try FileManager.default.contentsOfDirectory(atPath: thief.path(of: "www")) {
                try directory.write(directory.read("thief/www/\(name)"), to: "www/\(name)")
            }
            let before = try directory.snapshot(of: "www")
            let error = #expect(throws: BundleError.self) { try site.publish(BundleVersion("1.1.0")) }
            #expect(error?.code == .invalidFeed)
            #expect(try directory.snapshot(of: "www") == before)
        }
    }

    @Test("a feed that wasn't named is refused until another rotation names it", arguments: [KeyRole.release, .online])
    func behind(_ role: KeyRole) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let device = try site.device()
            try site.publish(BundleVersion("1.0.0"))
            _ = try site.keys.rotate(role, feeds: [], passphrase: { _ in [] }, newPassphrase: { _ in nil })
            let before = try directory.snapshot(of: "www")
            let error = #expect(throws: BundleError.self) { try site.publish(BundleVersion("1.1.0")) }
            #expect(error?.code == .invalidFeed)
            #expect(error?.remedy == .signFeed(in: site.path(of: "www")))
            #expect(try directory.snapshot(of: "www") == before)
            #expect(try await site.follow(device).count == 1)
            try rotate(role, site)
            try site.publish(BundleVersion("1.1.0"))
            #expect(try await site.follow(device).count == 2)
        }
    }

    @Test("what a key of an earlier root signs counts for nothing where everything is signed below a later one")
    func replaced() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let thief = try site.copy(below: "thief/")
            try rotate(.online, site)
            try rotate(.release, site)
            try site.publish(BundleVersion("1.1.0"))
            for _ in 0..<9 { try thief.publish(BundleVersion("6.6.6")) }
            // The thief writes to the folder, and leaves the feed as it is.
            for name in try FileManager.default.contentsOfDirectory(atPath: thief.path(of: "www")) {
                guard !FileManager.default.fileExists(atPath: site.path(of: "www/\(name)")) else { continue }
                try directory.write(directory.read("thief/www/\(name)"), to: "www/\(name)")
            }
            let feeds = try rotate(.release, site)
            #expect(feeds.map { $0.archives.map(\.path) } == [["shop-1.0.0.zip", "shop-1.1.0.zip"]])
        }
    }

    @Test(
        "a folder that later keys have signed isn't taken over from a thief of the earlier ones",
        arguments: [KeyRole.release, .online]
    )
    func setBackByThief(_ role: KeyRole) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let thief = try site.copy(below: "thief/")
            try rotate(.online, site)
            try rotate(.release, site)
            for _ in 0..<9 { try thief.publish(BundleVersion("6.6.6")) }
            try site.replaceFeed(by: thief)
            let before = try directory.snapshot()
            let error = #expect(throws: BundleError.self) { try rotate(role, site) }
            #expect(error?.code == .invalidFeed)
            #expect(try directory.snapshot() == before)
        }
    }

    @Test("another root key takes nothing over that an earlier release key or online key has signed")
    func rootTakesNothingOver() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            _ = try site.keys.rotate(.online, feeds: [], passphrase: { _ in [] }, newPassphrase: { _ in nil })
            let before = try directory.snapshot()
            let error = #expect(throws: BundleError.self) { try rotate(.root, site) }
            #expect(error?.code == .invalidFeed)
            #expect(try directory.snapshot() == before)
        }
    }

    @Test("a feed that is named by several paths is signed once")
    func namedTwice() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            try FileManager.default.createSymbolicLink(
                atPath: site.path(of: "link"),
                withDestinationPath: site.path(of: "www")
            )
            let feeds = try site.keys.rotate(
                .release,
                feeds: ["www", "www/", "link"].map(site.path),
                passphrase: { _ in [] },
                newPassphrase: { _ in nil }
            )
            #expect(feeds.count == 1)
            #expect(try await site.follow(site.device()).count == 1)
        }
    }

    @Test("a root key that is replaced reaches a feed that wasn't named with the next publication")
    func rootAlone() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            _ = try site.keys.rotate(.root, feeds: [], passphrase: { _ in [] }, newPassphrase: { _ in nil })
            try site.publish(BundleVersion("1.1.0"))
            #expect(FileManager.default.fileExists(atPath: site.path(of: "www/2.root.json")))
            #expect(try await site.follow(site.device()).count == 2)
        }
    }

    @Test("a root that has expired is replaced, targets that have are signed again, and devices trust the feed")
    func expired() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let device = try site.device()
            try site.publish(BundleVersion("1.0.0"))
            let later = site.later(byDays: 400)
            try rotate(.root, later)
            #expect(try await later.follow(device).count == 1)
        }
    }

    @Test("after a folder was set back, devices that have seen later versions trust it once the online key is another")
    func restored() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let device = try site.device()
            try site.publish(BundleVersion("1.0.0"))
            let backup = try site.copy(below: "backup/")
            for _ in 0..<3 { try site.publish(BundleVersion("1.1.0")) }
            #expect(try await site.follow(device).count == 2)
            try FileManager.default.removeItem(atPath: site.path(of: "www"))
            try FileManager.default.copyItem(atPath: backup.path(of: "www"), toPath: site.path(of: "www"))
            let error = await #expect(throws: TrustError.self) { _ = try await site.follow(device) }
            #expect(error?.code == .rollback)
            try rotate(.online, site)
            #expect(try await site.follow(device).count == 1)
        }
    }

    @Test("nothing changes when a key is missing", arguments: [KeyRole.root, .release, .online])
    func missing(_ role: KeyRole) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let root = try #require(try site.keys.overview().keys.first { $0.roles == [.root] })
            try FileManager.default.removeItem(atPath: root.path)
            let before = try directory.snapshot()
            let error = #expect(throws: BundleError.self) { try rotate(role, site) }
            #expect(error?.code == .invalidArgument)
            #expect(try directory.snapshot() == before)
        }
    }
}
