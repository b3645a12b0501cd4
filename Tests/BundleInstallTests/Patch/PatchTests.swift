import BundleArchive
import BundleInstall
import BundlePublishing
import BundleStore
import BundleTesting
import Testing

@Suite("Patches")
struct PatchTests {
    /// Some text that doesn't compress to nothing, the same in each run.
    private static func text(_ seed: UInt64, _ count: Int) -> String {
        var generator = SeededGenerator(seed: seed)
        return String(
            decoding: (0..<count).map { _ in UInt8.random(in: 0x20..<0x7F, using: &generator) },
            as: UTF8.self
        )
    }

    private static func files(_ version: String, _ more: [String: String]) -> [String: String] {
        InstallFixture.files(version).merging(more) { $1 }
    }

    /// A patch from `old` to `new`, both of which are then installed in the fixture's store.
    private func patch(
        _ fixture: InstallFixture,
        from old: [String: String],
        to new: [String: String]
    ) throws -> (patch: [UInt8], digest: Digest) {
        _ = try fixture.install(old)
        _ = try fixture.install(new)
        let release = try fixture.release("1.1.0")
        let before = try #require(try WholeContent(of: fixture.release(), in: fixture.store))
        let after = try #require(try WholeContent(of: release, in: fixture.store))
        return (try #require(try PatchEncoder.encode(from: before, to: after, within: 1 << 20)), release.filesDigest())
    }

    /// Installs by patch in a store that has only the old release.
    private func apply(
        _ patch: [UInt8],
        expecting digest: Digest,
        to old: [String: String],
        limits: ArchiveLimits = ArchiveLimits(),
        _ check: (Result<InstallReport, any Error>, InstallFixture) throws -> Void
    ) async throws {
        try await InstallFixture.use { client in
            _ = try client.install(old)
            var options = InstallOptions()
            options.limits = limits
            let result = Result {
                try Installer(client.store)
                    .install(
                        patch: patch,
                        named: "patch",
                        to: client.release(),
                        expecting: digest,
                        options: options
                    )
            }
            try check(result, client)
        }
    }

    @Test(
        "a patch leads to the new release, whatever was changed",
        arguments: [
            ([:], [:]),
            (["a.js": text(1, 50_000)], ["b.js": text(1, 50_000)]),
            (["a.js": text(1, 50_000)], ["a.js": text(1, 50_000) + "!", "c.js": text(2, 3_000)]),
            (
                ["x/a.js": text(1, 9_000), "y/a.js": text(1, 9_000)],
                ["z/a.js": text(1, 9_000), "zz/a.js": text(1, 9_000)]
            ),
            (["a": ""], ["b": "", "c": ""]),
            (["größe/日本語.js": text(3, 500)], ["größe/中文.js": text(3, 501)]),
        ]
    )
    func applied(old: [String: String], new: [String: String]) async throws {
        let (old, new) = (Self.files("1.0.0", old), Self.files("1.1.0", new))
        try await InstallFixture.use { publisher in
            let (patch, digest) = try patch(publisher, from: old, to: new)
            #expect(patch.count < 5_000, "what is the same isn't in it")
            try await apply(patch, expecting: digest, to: old) { result, client in
                #expect(try result.get().outcome == .installed)
                let release = try client.release("1.1.0")
                #expect(release.texts == new.mapValues { $0 })
                #expect(release.state == .active)
                #expect(release.contentDigest == (try publisher.release("1.1.0").contentDigest))
            }
        }
    }

    @Test("equal releases have equal patches")
    func deterministic() async throws {
        let (old, new) = (
            Self.files("1.0.0", ["a": Self.text(1, 90_000)]), Self.files("1.1.0", ["b": Self.text(1, 90_100)])
        )
        var patches: Set<[UInt8]> = []
        for _ in 0..<2 {
            try await InstallFixture.use { patches.insert(try patch($0, from: old, to: new).patch) }
        }
        #expect(patches.count == 1)
    }

    @Test("a patch that would be longer than its limit isn't made")
    func limit() async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(Self.files("1.0.0", [:]))
            _ = try fixture.install(Self.files("1.1.0", ["a": Self.text(1, 90_000)]))
            let old = try #require(try WholeContent(of: fixture.release(), in: fixture.store))
            let new = try #require(try WholeContent(of: fixture.release("1.1.0"), in: fixture.store))
            #expect(try PatchEncoder.encode(from: old, to: new, within: 50_000) == nil)
            #expect(try PatchEncoder.encode(from: old, to: new, within: 100_000) != nil)
        }
    }

    @Test("a patch that was changed, or is for other files, is refused, and the store stays as it was")
    func damaged() async throws {
        let (old, new) = (
            Self.files("1.0.0", ["a": Self.text(1, 2_000)]), Self.files("1.1.0", ["b": Self.text(1, 2_100)])
        )
        try await InstallFixture.use { publisher in
            let (patch, digest) = try patch(publisher, from: old, to: new)
            var wrong: [(String, [UInt8])] = [
                ("empty", []), ("short", Array(patch.prefix(95))), ("longer", patch + [0]),
            ]
            for length in stride(from: 96, to: patch.count, by: 17) {
                wrong.append(("cut", Array(patch.prefix(length))))
            }
            for position in stride(from: 0, to: patch.count, by: 5) {
                var changed = patch
                changed[position] ^= 0x41
                wrong.append(("byte \(position)", changed))
            }
            // Claims to be long: the header says so, or the frame.
            for position in [80, 88] {
                var changed = patch
                changed.replaceSubrange(position..<position + 8, with: [0xFF, 0xFF, 0xFF, 0x07, 0, 0, 0, 0])
                wrong.append(("length at \(position)", changed))
            }
            try await apply(patch, expecting: digest, to: Self.files("1.0.0", ["a": "other"])) { result, client in
                #expect(throws: BundleError.self) { try result.get() }
                #expect(client.store.snapshot.releases.count == 1)
            }
            try await apply(patch, expecting: Digest(of: [1]), to: old) { result, _ in
                let error = #expect(throws: BundleError.self) { try result.get() }
                #expect(error?.code == .invalidFeed)
            }
            try await InstallFixture.use { client in
                _ = try client.install(old)
                for (what, bytes) in wrong {
                    // A changed byte of the header's digest of the result says nothing: the feed's counts.
                    let error = #expect(throws: BundleError.self, "\(what)") {
                        try Installer(client.store)
                            .install(
                                patch: bytes,
                                named: "patch",
                                to: client.release(),
                                expecting: digest,
                                options: InstallOptions()
                            )
                    }
                    #expect(error?.code == .invalidFeed, "\(what): \(error?.message ?? "")")
                }
                #expect(client.store.snapshot.releases.count == 1)
                #expect(try client.directory.snapshot(of: "store/incoming").files.isEmpty)
            }
        }
    }

    @Test("a patch's release is held to the limits of archives")
    func limits() async throws {
        let (old, new) = (Self.files("1.0.0", [:]), Self.files("1.1.0", ["a": Self.text(1, 2_000)]))
        try await InstallFixture.use { publisher in
            let (patch, digest) = try patch(publisher, from: old, to: new)
            for change in [
                { (limits: inout ArchiveLimits) in limits.maximumEntryCount = 3 },
                { (limits: inout ArchiveLimits) in limits.maximumEntryByteCount = 1_000 },
                { (limits: inout ArchiveLimits) in limits.maximumTotalByteCount = 1_000 },
            ] {
                var limits = ArchiveLimits()
                change(&limits)
                try await apply(patch, expecting: digest, to: old, limits: limits) { result, _ in
                    let error = #expect(throws: BundleError.self) { try result.get() }
                    #expect(error?.code == .invalidFeed)
                }
            }
        }
    }
}
