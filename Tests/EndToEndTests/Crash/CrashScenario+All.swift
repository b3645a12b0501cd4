import BundleStore
import BundleTesting
import Foundation
import Testing

extension CrashScenario {
    /// Every command that changes a store.
    static let all = installing + updating + followingSignatures + switching + keeping + removing

    private static let installing = [
        CrashScenario(
            name: "install into an empty folder",
            prepare: { _ in },
            command: { ["install", try await $0.archive("1.0.0")] }
        ),
        CrashScenario(
            name: "install of a second version",
            prepare: { try await $0.install("1.0.0") },
            command: { ["install", try await $0.archive("1.1.0")] }
        ),
        CrashScenario(
            name: "install without activation",
            isVariant: true,
            prepare: { try await $0.install("1.0.0") },
            command: { ["install", try await $0.archive("1.1.0"), "--no-activate"] }
        ),
        CrashScenario(
            name: "install in place of the same version",
            isVariant: true,
            prepare: { try await $0.install("1.0.0", "1.1.0") },
            command: { ["install", try await $0.archive("1.1.0", ["new.txt": "new"], named: "-again"), "--force"] }
        ),
        CrashScenario(
            name: "install that removes an earlier version",
            isVariant: true,
            prepare: { try await $0.install("1.0.0", "1.1.0") },
            command: { ["install", try await $0.archive("1.2.0"), "--keep", "1"] },
            halfway: { ["install", try await $0.archive("1.2.0"), "--keep", "2"] }
        ),
    ]

    private static let updating = [
        CrashScenario(
            name: "update",
            needsFeed: true,
            isVariant: true,
            prepare: { site in
                try await site.install("1.0.0")
                try await site.publish("1.1.0")
            },
            command: { ["update", "shop", "--feed", $0.feedURL] }
        ),
        CrashScenario(
            name: "update by a patch",
            needsFeed: true,
            prepare: { try await $0.publishSuccessor(patches: 1) },
            command: { ["update", "shop", "--feed", $0.feedURL] }
        ),
        CrashScenario(
            name: "update by the missing files",
            needsFeed: true,
            prepare: { try await $0.publishSuccessor(patches: 0) },
            command: { ["update", "shop", "--feed", $0.feedURL] }
        ),
        CrashScenario(
            name: "switch by update to a release that is installed already",
            needsFeed: true,
            isVariant: true,
            prepare: { site in
                try await site.install("1.0.0")
                try await site.bundlectl.expect(0, "install", site.archive("1.1.0"), "--no-activate")
                try await site.publish("1.1.0")
            },
            command: { ["update", "shop", "--feed", $0.feedURL] }
        ),
        CrashScenario(
            name: "update that removes earlier versions",
            needsFeed: true,
            prepare: { site in
                try await site.install("1.0.0", "1.1.0")
                try await site.publish("1.2.0")
            },
            command: { ["update", "shop", "--feed", $0.feedURL, "--keep", "0"] },
            halfway: { ["update", "shop", "--feed", $0.feedURL, "--keep", "2"] }
        ),
    ]

    private static let followingSignatures = [
        CrashScenario(
            name: "update from a signed feed",
            needsFeed: true,
            prepare: { site in
                try await site.installSigned()
                try await site.publish("1.1.0", isSigned: true)
            },
            command: { ["update", "shop", "--feed", $0.feedURL] }
        ),
        CrashScenario(
            name: "update from a signed feed whose keys are others",
            needsFeed: true,
            prepare: { site in
                try await site.installSigned()
                try await site.rotateKeys()
                try await site.publish("1.1.0", isSigned: true)
            },
            command: { ["update", "shop", "--feed", $0.feedURL] }
        ),
        CrashScenario(
            name: "update from a stick",
            prepare: { site in
                try await site.installSigned()
                try await site.publish("1.1.0", isSigned: true)
                try await site.mirror()
            },
            command: { ["update", "shop", "--from", $0.stick] }
        ),
    ]

    private static let switching = [
        CrashScenario(
            name: "activate",
            prepare: { try await $0.install("1.0.0", "1.1.0") },
            command: { _ in ["activate", "shop@1.0.0"] }
        ),
        CrashScenario(
            name: "rollback",
            prepare: { try await $0.install("1.0.0", "1.1.0") },
            command: { _ in ["rollback", "shop"] }
        ),
    ]

    private static let keeping = [
        CrashScenario(
            name: "pin",
            isVariant: true,
            prepare: { try await $0.install("1.0.0", "1.1.0") },
            command: { _ in ["pin", "shop@1.0.0"] }
        ),
        CrashScenario(
            name: "unpin",
            isVariant: true,
            prepare: { site in
                try await site.install("1.0.0", "1.1.0")
                try await site.bundlectl.expect(0, "pin", "shop@1.0.0")
            },
            command: { _ in ["unpin", "shop@1.0.0"] }
        ),
        CrashScenario(
            name: "hold",
            isVariant: true,
            prepare: { try await $0.install("1.0.0") },
            command: { _ in ["hold", "shop"] }
        ),
        CrashScenario(
            name: "quota",
            isVariant: true,
            prepare: { try await $0.install("1.0.0") },
            command: { _ in ["quota", "500MB"] }
        ),
    ]

    private static let removing = [
        CrashScenario(
            name: "remove of a version",
            isVariant: true,
            prepare: { try await $0.install("1.0.0", "1.1.0") },
            command: { _ in ["remove", "shop@1.0.0"] }
        ),
        CrashScenario(
            name: "remove of a bundle",
            prepare: { try await $0.install("1.0.0", "1.1.0") },
            command: { _ in ["remove", "shop"] }
        ),
        CrashScenario(
            name: "prune of earlier versions and orphans",
            prepare: { site in
                try await site.install("1.0.0", "1.1.0", "1.2.0")
                try site.leaveOrphans()
            },
            command: { _ in ["prune", "--keep", "0"] }
        ),
        CrashScenario(
            name: "prune of a segment that is mostly dead",
            prepare: { site in
                let large = try await site.archive("1.0.0", ["large.txt": String(repeating: "large ", count: 20_000)])
                try await site.bundlectl.expect(0, "install", large)
                try await site.install("1.1.0")
            },
            command: { _ in ["prune", "--keep", "0"] }
        ),
        CrashScenario(
            name: "cache clear",
            isVariant: true,
            prepare: { site in
                try await site.install("1.0.0")
                try site.fillCache()
            },
            command: { _ in ["cache", "clear"] }
        ),
    ]
}

extension CrashSite {
    /// The remains of a program that was killed: a whole segment, a whole index and an unfinished file that nothing
    /// refers to.
    fileprivate func leaveOrphans() throws {
        let identifier = String(repeating: "0f", count: 16)
        for (folder, suffix) in [("segments", ".segment"), ("indexes", ".index"), ("incoming", "")] {
            try directory.write("orphan", to: "before/store/\(folder)/\(identifier)\(suffix)")
        }
    }

    fileprivate func fillCache() throws {
        let store = try BundleStore(at: bundlectl.store)
        let shop = BundleName("shop")
        let version = try #require(try store.bundle(shop).active?.version)
        for page in ["a", "b"] {
            let url = "https://m.example.com/shop/\(page)"
            // One body is in the catalog, and one in a file.
            let body = Array("body of \(page)".utf8) + [UInt8](repeating: 0, count: page == "a" ? 0 : 100_000)
            try store.cache(body, url: url, of: shop, version)
        }
    }
}
