import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import BundleCoding
@testable import BundleServer

@Suite("VariantMaker")
struct VariantMakerTests {
    private static let script = String(repeating: "function add(a, b) { return a + b }\n", count: 50)
    private static let browser = CodingPreferences(AcceptEncoding("gzip, deflate, br, zstd"))

    @Test("the first request finds no form and schedules the best one; a later one finds it")
    func making() async throws {
        try await withStore { store in
            try store.install(Self.manifest(), ["app.js": Self.script])
            let workbench = Workbench(store)
            let asset = try store.asset("app.js")
            #expect(workbench.maker.variants(of: asset, for: Self.browser).isEmpty)
            let generation = workbench.maker.generation
            workbench.work()
            #expect(workbench.maker.generation > generation)
            let variants = workbench.maker.variants(of: asset, for: Self.browser)
            #expect(variants.map(\.coding) == [.brotli])
            #expect(variants.allSatisfy { $0.content.count < asset.byteCount / 10 })
            #expect(workbench.isIdle)
        }
    }

    @Test("a form is made once for many requests, and found after a restart without being made again")
    func once() async throws {
        try await withStore { store in
            try store.install(Self.manifest(), ["app.js": Self.script])
            let (workbench, asset) = (Workbench(store), try store.asset("app.js"))
            for _ in 0..<5 { _ = workbench.maker.variants(of: asset, for: Self.browser) }
            #expect(workbench.startCount == 1)
            workbench.work()
            let files = try store.variantFiles()
            #expect(files.count == 1)
            let later = Workbench(store)
            _ = later.maker.variants(of: asset, for: Self.browser)
            later.work()
            #expect(later.maker.variants(of: asset, for: Self.browser).map(\.coding) == [.brotli])
            #expect(try store.variantFiles() == files)
        }
    }

    @Test("a series of forms is announced once a second, and at the end")
    func announcements() async throws {
        try await withStore { store in
            let files = (0..<4).map { ("\($0).js", Self.script + "\($0)") }
            try store.install(Self.manifest(), Dictionary(uniqueKeysWithValues: files))
            // Looked at three times for each form.
            let clock = TestClock(step: VariantMaker.announcementInterval / 8)
            let workbench = Workbench(store, clock: clock)
            let seen = Mutex<[Int64]>([])
            for (path, _) in files { _ = workbench.maker.variants(of: try store.asset(path), for: Self.browser) }
            clock.onLook = { seen.withLock { $0.append(workbench.maker.generation) } }
            workbench.work()
            #expect(seen.withLock { $0.count { $0 == 0 } } == 12)
            #expect(seen.withLock { $0.count { $0 == 2 } } == 8)
            #expect(seen.withLock(\.count) == 20)
            #expect(workbench.maker.generation == 4)
        }
    }

    @Test("a form is announced before the next one, if that takes long")
    func longWork() async throws {
        try await withStore { store in
            let long = String(repeating: "long ", count: 1 << 18)
            try store.install(Self.manifest(), ["short.js": Self.script, "long.js": long])
            let clock = TestClock(step: .nanoseconds(1))
            let workbench = Workbench(store, clock: clock)
            for path in ["short.js", "long.js"] {
                _ = workbench.maker.variants(of: try store.asset(path), for: Self.browser)
            }
            let seen = Mutex<Set<Int64>>([])
            clock.onLook = { seen.withLock { _ = $0.insert(workbench.maker.generation) } }
            workbench.work()
            #expect(seen.withLock(\.self) == [0, 1])
        }
    }

    @Test("a form that was removed because of the quota is made again on request, but not immediately")
    func evicted() async throws {
        try await withStore { store in
            try store.install(Self.manifest(), ["a.js": Self.script, "b.js": Self.script + "b"])
            let clock = TestClock()
            // Space for one: the head of a file takes 128 bytes.
            let workbench = Workbench(store, clock: clock, quota: 300)
            func isThere(_ path: String) throws -> Bool {
                try !workbench.maker.variants(of: store.asset(path), for: Self.browser).isEmpty
            }
            for path in ["a.js", "b.js"] {
                #expect(try !isThere(path))
                workbench.work()
            }
            #expect(try !isThere("a.js"))
            #expect(try isThere("b.js"))
            #expect(workbench.isIdle)
            clock.advance(by: VariantQueue.retryInterval)
            #expect(try !isThere("a.js"))
            workbench.work()
            #expect(try isThere("a.js"))
        }
    }

    @Test("the best form for each client is made", arguments: [("gzip", ContentCoding.gzip), ("zstd", .zstandard)])
    func codings(_ accepted: String, _ coding: ContentCoding) async throws {
        try await withStore { store in
            try store.install(Self.manifest(), ["app.js": Self.script])
            let (workbench, asset) = (Workbench(store), try store.asset("app.js"))
            let preferences = CodingPreferences(AcceptEncoding(accepted))
            _ = workbench.maker.variants(of: asset, for: preferences)
            _ = workbench.maker.variants(of: asset, for: CodingPreferences(.identityOnly))
            workbench.work()
            #expect(workbench.maker.variants(of: asset, for: preferences).map(\.coding) == [coding])
        }
    }

    @Test("it is remembered that a file doesn't become smaller, also after a restart")
    func futile() async throws {
        var generator = SeededGenerator(seed: 1)
        let noise = generator.noise(1_000)
        try await withStore { store in
            try store.install(Self.manifest(), ["app.js": noise])
            let asset = try store.asset("app.js")
            for _ in 0..<2 {
                let workbench = Workbench(store)
                _ = workbench.maker.variants(of: asset, for: Self.browser)
                workbench.work()
                #expect(workbench.maker.variants(of: asset, for: Self.browser).isEmpty)
                #expect(workbench.isIdle)
            }
            #expect(try store.variantFiles().count == 1)
        }
    }

    @Test("the publisher's own form is used, and not stored twice")
    func sibling() async throws {
        let coded = Array(Self.script.utf8).withUnsafeBytes {
            ContentEncoder.encode($0, as: .gzip, within: $0.count, giveWay: {})
        }
        let own = try #require(coded)
        try await withStore { store in
            try store.install(Self.manifest(), ["app.js": Array(Self.script.utf8), "app.js.gz": own])
            let (workbench, asset) = (Workbench(store), try store.asset("app.js"))
            let preferences = CodingPreferences(AcceptEncoding("gzip"))
            _ = workbench.maker.variants(of: asset, for: preferences)
            workbench.work()
            #expect(workbench.maker.variants(of: asset, for: preferences).map(\.content.array) == [own])
            #expect(try store.variantFiles().isEmpty)
        }
    }

    @Test("a sibling with other content is reported, and replaced by a form made here")
    func wrongSibling() async throws {
        try await withStore { store in
            try store.install(Self.manifest(), ["app.js": Self.script, "app.js.br": "something else"])
            let (workbench, asset) = (Workbench(store), try store.asset("app.js"))
            _ = workbench.maker.variants(of: asset, for: Self.browser)
            workbench.work()
            let variants = workbench.maker.variants(of: asset, for: Self.browser)
            #expect(variants.map(\.coding) == [.brotli])
            #expect(try store.variantFiles().count == 1)
            #expect(
                workbench.log.lines == [
                    "warning: shop@1.0.0 app.js.br: not app.js in br, so it is served under its own name only"
                ]
            )
        }
    }

    @Test(
        "a store that can't be written is reported once; siblings are still used, and writing is retried after a change"
    )
    func unwritable() async throws {
        try await withStore { store in
            try store.install(Self.manifest(), ["a.js": Self.script, "b.js": Self.script + "b"])
            // A file in place of the folder: not even root can write then.
            let folder = URL(fileURLWithPath: store.path + "/variants")
            try Data().write(to: folder)
            let workbench = Workbench(store)
            for path in ["a.js", "b.js"] {
                _ = workbench.maker.variants(of: try store.asset(path), for: Self.browser)
                workbench.work()
            }
            #expect(workbench.log.lines.count == 1)
            #expect(workbench.log.lines.first?.contains("files are sent uncompressed") == true)

            try FileManager.default.removeItem(at: folder)
            workbench.maker.storeChanged(to: store.snapshot)
            workbench.work()
            let asset = try store.asset("a.js")
            _ = workbench.maker.variants(of: asset, for: Self.browser)
            workbench.work()
            #expect(workbench.maker.variants(of: asset, for: Self.browser).count == 1)
            #expect(workbench.log.lines.count == 1)
        }
    }

    @Test("nothing is made for a store of which no client has asked for a coding")
    func unasked() async throws {
        try await withTwoVersions { store, asset, preferences in
            let workbench = Workbench(store)
            workbench.maker.storeChanged(to: store.snapshot)
            _ = workbench.maker.variants(of: asset, for: CodingPreferences(.identityOnly))
            workbench.work()
            let early = try store.variantFiles()
            #expect(early.isEmpty)
            _ = workbench.maker.variants(of: asset, for: Self.browser)
            workbench.work()
            #expect(workbench.maker.variants(of: asset, for: preferences).map(\.coding).contains(.dictionaryZstandard))
            #expect(try store.variantFiles().count == 2)
        }
    }

    @Test("a form is made when no request has come for a while")
    func idle() async throws {
        try await withStore { store in
            try store.install(Self.manifest(), ["app.js": Self.script])
            let requestCount = Mutex<Int64>(0)
            let workbench = Workbench(
                store,
                requestCount: {
                    requestCount.withLock { count in
                        count = min(count + 1, 3)
                        return count
                    }
                }
            )
            _ = workbench.maker.variants(of: try store.asset("app.js"), for: Self.browser)
            workbench.work()
            // The second and the third request come while the work waits.
            #expect(workbench.pauses == [IdleDetector.interval, IdleDetector.interval])
            #expect(try store.variantFiles().count == 1)
        }
    }

    @Test("a form isn't finished for an endpoint that has ended", .timeLimit(.minutes(5)))
    func ended() async throws {
        try await withStore { store in
            try store.install(Self.manifest(), ["app.js": Self.script])
            let (hasPaused, hasEnded) = (Latch(), DispatchSemaphore(value: 0))
            let workbench = Workbench(
                store,
                onPause: {
                    hasPaused.open()
                    hasEnded.wait()
                }
            )
            _ = workbench.maker.variants(of: try store.asset("app.js"), for: Self.browser)
            let isDone = Latch()
            WorkThread.start(.prompt) {
                workbench.work()
                isDone.open()
            }
            try await hasPaused.wait()
            let running = Task { await workbench.maker.run() }
            running.cancel()
            await running.value
            hasEnded.signal()
            try await isDone.wait()
            #expect(try store.variantFiles().isEmpty)
            #expect(workbench.log.lines.isEmpty)
        }
    }

    @Test("after an activation the deltas to the previous version are made before they are requested")
    func differences() async throws {
        try await withStore { store in
            try store.install(Self.manifest(), ["app.4f3a9c21.js": Self.script + "old()", "style.css": Self.script])
            let old = try store.asset("app.4f3a9c21.js")
            let workbench = Workbench(store)
            _ = workbench.maker.variants(of: try store.asset("style.css"), for: Self.browser)
            try store.install(Self.manifest("1.1.0"), ["app.5a4b0d32.js": Self.script + "new()", "style.css": "new"])
            workbench.maker.storeChanged(to: store.snapshot)
            workbench.work()
            let asset = try store.asset("app.5a4b0d32.js")
            let preferences = CodingPreferences(AcceptEncoding("br, dcz"), dictionary: old.digest)
            let variants = workbench.maker.variants(of: asset, for: preferences)
            #expect(variants.map(\.coding) == [.dictionaryZstandard])
            #expect(variants.allSatisfy { $0.content.count < 150 })
            #expect(workbench.isIdle)
            let other = CodingPreferences(AcceptEncoding("br, dcz"), dictionary: asset.digest)
            #expect(workbench.maker.variants(of: asset, for: other).isEmpty)
        }
    }
}

extension VariantMakerTests {
    /// Two versions with one renamed file that has changed a little, the dictionary's digest, and the file.
    private func withTwoVersions(_ body: (BundleStore, Asset, CodingPreferences) async throws -> Void) async throws {
        try await withStore { store in
            try store.install(Self.manifest(), ["app.4f3a9c21.js": Self.script + "old()"])
            let old = try store.asset("app.4f3a9c21.js")
            try store.install(Self.manifest("1.1.0"), ["app.5a4b0d32.js": Self.script + "new()"])
            let preferences = CodingPreferences(AcceptEncoding("br, dcz"), dictionary: old.digest)
            try await body(store, try store.asset("app.5a4b0d32.js"), preferences)
        }
    }

    @Test("a missing delta is awaited, and made once for several requests")
    func waiting() async throws {
        try await withTwoVersions { store, asset, preferences in
            let clock = TestClock()
            let workbench = Workbench(store, clock: clock)
            async let first: Void = workbench.waitForDelta(of: asset, for: preferences)
            async let second: Void = workbench.waitForDelta(of: asset, for: preferences)
            try await clock.waitForSleeps(2)
            #expect(workbench.startCount == 1)
            workbench.work()
            _ = await (first, second)
            let variants = workbench.maker.variants(of: asset, for: preferences)
            #expect(variants.map(\.coding) == [.dictionaryZstandard])
        }
    }

    @Test("but not for long")
    func deltaTimeout() async throws {
        try await withTwoVersions { store, asset, preferences in
            let workbench = Workbench(store, clock: TestClock(step: .seconds(1)))
            await workbench.waitForDelta(of: asset, for: preferences)
            #expect(workbench.maker.variants(of: asset, for: preferences).isEmpty)
        }
    }

    @Test("an unknown dictionary, and one of another name, cause no work")
    func strangers() async throws {
        try await withTwoVersions { store, asset, _ in
            let workbench = Workbench(store)
            try store.install(
                #"{"name": "other", "version": "1", "origins": []}"#,
                ["app.4f3a9c21.js": Self.script + "other()"]
            )
            try store.install(Self.manifest("1.2.0"), ["page.4f3a9c21.js": Self.script + "page()"])
            let name = BundleName("other")
            let other = try #require(store.snapshot.bundles[name]?.active)
            let digests = [
                Digest(of: Array("unknown".utf8)), try #require(other.assets.first { _ in true }).digest,
                try store.asset("page.4f3a9c21.js").digest,
            ]
            for digest in digests {
                let preferences = CodingPreferences(AcceptEncoding("dcz"), dictionary: digest)
                await workbench.waitForDelta(of: asset, for: preferences)
            }
            #expect(workbench.startCount == 0)
        }
    }

    private static func manifest(_ version: String = "1.0.0") -> String {
        #"{"name": "shop", "version": "\#(version)", "origins": []}"#
    }
}
