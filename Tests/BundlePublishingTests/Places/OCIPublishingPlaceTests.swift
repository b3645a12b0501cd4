import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import BundlePublishing

/// How a feed is published to a registry.
struct OCIPublishingPlaceTests {
    private static let archive = Array("an archive".utf8)

    /// A registry, and files on this machine.
    private struct Fixture {
        let registry = MemoryRegistry()
        let directory: TemporaryDirectory

        func place(_ reference: String = MemoryRegistry.reference) throws -> OCIPublishingPlace {
            OCIPublishingPlace(OCIClient(try OCIReference(reference), .pullAndPush, over: registry))
        }

        func file(_ name: String, _ text: String) throws -> PlaceChange.File {
            let bytes = Array(text.utf8)
            let path = try directory.write(bytes, to: "work/\(name)")
            return PlaceChange.File(name: name, path: path, size: Int64(bytes.count), digest: Digest(of: bytes))
        }

        /// The change that adds a release to the feed.
        func release(_ version: String, feed: String? = nil, text: String = "an archive") throws -> PlaceChange {
            var change = PlaceChange()
            change.added = [
                try file("shop-\(version).zip", text), try file("shop-\(version).contents.json.zst", "list"),
            ]
            change.replaced = [try file("feed.json", feed ?? version)]
            return change
        }

        func apply(_ change: PlaceChange, _ contents: PlaceContents? = nil) async throws {
            let place = try place()
            let present = if let contents { contents } else { try await place.contents() }
            try await place.apply(change, to: present, progress: { _ in })
        }

        /// What a reader sees.
        func feed() async throws -> String? {
            let place = try place()
            let contents = try await place.contents()
            guard contents.files["feed.json"] != nil else { return nil }
            let path = directory.path(of: "seen")
            try await place.download("feed.json", of: contents, to: path, atMost: 100)
            return String(decoding: try directory.read("seen"), as: UTF8.self)
        }
    }

    private func using(_ body: (Fixture) async throws -> Void) async throws {
        try await withTemporaryDirectory { try await body(Fixture(directory: $0)) }
    }

    @Test func `a repository that isn't there is an empty place`() async throws {
        try await using { fixture in
            let contents = try await fixture.place().contents()
            #expect(contents.files.isEmpty && contents.revision == nil)
            #expect(try fixture.place().name == MemoryRegistry.reference)
        }
    }

    @Test func `what was published is there, by name, digest and length, and can be saved`() async throws {
        try await using { fixture in
            try await fixture.apply(fixture.release("1.0.0"))
            let contents = try await fixture.place().contents()
            #expect(contents.files.keys.sorted() == ["feed.json", "shop-1.0.0.contents.json.zst", "shop-1.0.0.zip"])
            let digest = Digest(of: Self.archive)
            #expect(
                contents.files["shop-1.0.0.zip"]
                    == PlaceContents.File(size: 10, digest: digest, revision: "sha256:\(digest.hex)")
            )
            let path = try fixture.directory.write("what was there before", to: "saved.zip")
            try await fixture.place().download("shop-1.0.0.zip", of: contents, to: path, atMost: 10)
            #expect(try fixture.directory.read("saved.zip") == Self.archive)
            #expect(
                try #require(fixture.registry.manifest("feed")).starts(
                    with: #"{"artifactType":"application/vnd.off"#.utf8
                )
            )
        }
    }

    @Test func `blobs come first, then the versions, and the tag of the feed last`() async throws {
        try await using { fixture in
            try await fixture.apply(fixture.release("1.0.0+x"))
            let writes = fixture.registry.log.filter { $0.hasPrefix("P") }
            #expect(writes.prefix(8).allSatisfy { $0.contains("blobs/uploads") })
            #expect(writes.dropFirst(8) == ["PUT manifests/1.0.0_x", "PUT manifests/feed"])
            #expect(
                fixture.registry.log.suffix(3) == ["HEAD manifests/feed", "PUT manifests/feed", "GET manifests/feed"]
            )
            let version = String(decoding: try #require(fixture.registry.manifest("1.0.0_x")), as: UTF8.self)
            #expect(
                version.contains(
                    #""org.opencontainers.image.title":"shop","org.opencontainers.image.version":"1.0.0+x""#
                )
            )
            #expect(
                version.contains(#""org.opencontainers.image.title":"shop-1.0.0+x.zip""#)
                    && !version.contains("feed.json")
            )
        }
    }

    @Test func `a change adds, replaces and removes, and what is there isn't sent again`() async throws {
        try await using { fixture in
            try await fixture.apply(fixture.release("1.0.0"))
            fixture.registry.clearLog()
            var change = try fixture.release("1.1.0")
            change.removed = ["shop-1.0.0.zip", "shop-1.0.0.contents.json.zst"]
            try await fixture.apply(change)
            #expect(
                try await fixture.place().contents().files.keys.sorted() == [
                    "feed.json", "shop-1.1.0.contents.json.zst", "shop-1.1.0.zip",
                ]
            )
            #expect(try await fixture.feed() == "1.1.0")
            // The archive and its list have the same bytes as before.
            #expect(fixture.registry.log.filter { $0.hasPrefix("POST") }.count == 1)
            #expect(fixture.registry.manifest("1.0.0") != nil)
        }
    }

    @Test func `who has published since is noticed before anything is replaced`() async throws {
        try await using { fixture in
            let before = try await fixture.place().contents()
            try await fixture.apply(fixture.release("1.0.0"))
            await #expect(throws: PlaceConflict.self) { try await fixture.apply(fixture.release("2.0.0"), before) }
            #expect(try await fixture.feed() == "1.0.0")
            let old = try await fixture.place().contents()
            try await fixture.apply(fixture.release("1.1.0"), old)
            await #expect(throws: PlaceConflict.self) { try await fixture.apply(fixture.release("2.0.0"), old) }
            #expect(try await fixture.feed() == "1.1.0")
            try await fixture.apply(fixture.release("2.0.0"))
            #expect(try await fixture.feed() == "2.0.0")
        }
    }

    @Test func `who publishes at the same instant is noticed afterwards`() async throws {
        try await using { fixture in
            try await fixture.apply(fixture.release("1.0.0"))
            let (registry, others) = (fixture.registry, MemoryRegistry.manifest([]))
            let hasPut = Atomic(false)
            registry.interception = { request in
                if request.method == .put, request.path?.hasSuffix("manifests/feed") == true {
                    hasPut.store(true, ordering: .relaxed)
                } else if request.method == .get, hasPut.load(ordering: .relaxed) {
                    registry.put(others, tag: "feed")
                }
                return nil
            }
            await #expect(throws: PlaceConflict.self) { try await fixture.apply(fixture.release("2.0.0")) }
        }
    }

    @Test func `an end at any request leaves the old feed or the new one, and the next attempt completes it`()
        async throws
    {
        struct Killed: Error {}
        try await using { fixture in
            try await fixture.apply(fixture.release("1.0.0"))
            let contents = try await fixture.place().contents()
            var version = 0
            for step in 0... {
                // Each time other bytes.
                version += 1
                let change = try fixture.release("2.0.\(version)", text: "archive \(version)")
                let present = step == 0 ? contents : try await fixture.place().contents()
                let before = try await fixture.feed()
                let count = Atomic(0)
                fixture.registry.interception = { _ in
                    if count.add(1, ordering: .relaxed).oldValue >= step { throw Killed() }
                    return nil
                }
                let isComplete: Bool
                do {
                    try await fixture.apply(change, present)
                    isComplete = true
                } catch is Killed {
                    isComplete = false
                }
                fixture.registry.interception = { _ in nil }
                let after = try await fixture.feed()
                #expect(after == before || after == "2.0.\(version)")
                try await fixture.apply(change)
                #expect(try await fixture.feed() == "2.0.\(version)")
                if isComplete {
                    #expect(step > 10)
                    return
                }
            }
        }
    }

    @Test func `a name that is taken by other bytes is an error before anything is sent`() async throws {
        try await using { fixture in
            try await fixture.apply(fixture.release("1.0.0"))
            let present = try await fixture.place().contents()
            fixture.registry.clearLog()
            let error = await #expect(throws: BundleError.self) {
                try await fixture.apply(fixture.release("1.0.0", text: "other"), present)
            }
            #expect(error?.code == .outputUnavailable && fixture.registry.requests.isEmpty)
            var change = PlaceChange()
            change.replaced = [try fixture.file("a b", "x")]
            let other = change
            let unnamed = await #expect(throws: BundleError.self) { try await fixture.apply(other, present) }
            #expect(unnamed?.code == .outputUnavailable && fixture.registry.requests.isEmpty)
        }
    }

    @Test func `what others keep in the repository isn't replaced`() async throws {
        try await using { fixture in
            let image = Array(
                #"{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{},"layers":[]}"#
                    .utf8
            )
            fixture.registry.put(image, tag: "1.0.0")
            let error = await #expect(throws: BundleError.self) { try await fixture.apply(fixture.release("1.0.0")) }
            #expect(error?.code == .outputUnavailable && fixture.registry.manifest("1.0.0") == image)
            fixture.registry.put(Array("{}".utf8), tag: "2.0.0")
            await #expect(throws: BundleError.self) { try await fixture.apply(fixture.release("2.0.0")) }
            fixture.registry.put(image, tag: "feed")
            let other = await #expect(throws: BundleError.self) { try await fixture.place().contents() }
            #expect(other?.code == .invalidArgument)
            #expect(fixture.registry.log.allSatisfy { !$0.hasPrefix("P") })
        }
    }

    @Test func `a file that is too long, gone or damaged isn't saved`() async throws {
        try await using { fixture in
            try await fixture.apply(fixture.release("1.0.0"))
            let place = try fixture.place()
            let contents = try await place.contents()
            let path = fixture.directory.path(of: "saved")
            func error(_ name: String, atMost limit: Int64 = 100) async -> BundleError.Code? {
                let error = await #expect(throws: BundleError.self) {
                    try await place.download(name, of: contents, to: path, atMost: limit)
                }
                #expect(!FileManager.default.fileExists(atPath: path))
                return error?.code
            }
            #expect(await error("shop-1.0.0.zip", atMost: 9) == .invalidFeed)
            #expect(await error("other.zip") == .networkUnavailable)
            fixture.registry.add(Array("an Archive".utf8), titled: "x", digest: MemoryRegistry.digest(Self.archive))
            #expect(await error("shop-1.0.0.zip") == .networkUnavailable)
        }
    }

    @Test func `progress counts the bytes of all files`() async throws {
        try await using { fixture in
            let steps = Monitor<[ByteProgress]>([])
            let place = try fixture.place()
            try await place.apply(fixture.release("1.0.0"), to: place.contents()) { step in
                steps.update { $0.append(step) }
            }
            #expect(steps.state.last == ByteProgress(done: 19, total: 19))
            #expect(steps.state.map(\.done) == steps.state.map(\.done).sorted())
        }
    }

    @Test(arguments: [
        ("shop-1.0.0.zip", "shop", "1.0.0"), ("a-b-1.0.0-rc.1.tar.zst", "a-b", "1.0.0-rc.1"),
        ("shop-3.archive", "shop", "3"),
        ("shop-2-1.0.0.tar", "shop-2", "1.0.0"), ("shop-1.0.0+x.tar.gz", "shop", "1.0.0+x"), ("feed.json", nil, nil),
        ("shop-1.0.0.contents.json.zst", nil, nil), ("shop-1.1.0.from-1.0.0.patch", nil, nil), ("-1.0.0.zip", nil, nil),
        ("shop.zip", nil, nil), ("1.root.json", nil, nil),
    ])
    func `an archive is known by its name`(_ file: String, _ name: String?, _ version: String?) {
        let release = ListedArchives.release(ofArchive: file)
        #expect(release?.name.string == name && release?.version.string == version)
    }
}
