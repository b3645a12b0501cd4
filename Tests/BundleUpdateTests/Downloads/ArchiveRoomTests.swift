import BundleStore
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("The space for a release that a feed offers")
struct ArchiveRoomTests {
    /// Publishes a version that exists only in the feed, with the size that is given there.
    private func publish(size: Int, _ fixture: UpdaterFixture) {
        let archive = UpdaterFixture.archive("1.1.0")
        let entry = UpdaterFixture.entry("1.1.0", size: size, digest: Digest(of: archive))
        fixture.network.response(UpdaterFixture.feed, .ok, [:], UpdaterFixture.feed("shop", [entry]))
        fixture.network.response(UpdaterFixture.source("1.1.0"), file: archive)
    }

    private func hasAskedForArchive(_ fixture: UpdaterFixture) -> Bool {
        fixture.network.requests.contains { $0.path?.hasSuffix(".zip") == true }
    }

    private func expectFullDisk(_ fixture: UpdaterFixture) async throws {
        let error = await fixture.failure()
        #expect(error?.code == .storeUnavailable)
        #expect(error?.message.contains("the disk is full") == true)
        #expect(try fixture.downloads.isEmpty)
        #expect(fixture.page == "1.0.0")
    }

    @Test("is checked before the first byte: the limits", arguments: [1 << 40, Int(Int64.max)])
    func limits(size: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            publish(size: size, fixture)
            let error = await fixture.failure()
            #expect(error?.code == .invalidFeed)
            #expect(error?.message.contains("nothing was fetched") == true)
            #expect(!hasAskedForArchive(fixture))
            #expect(try fixture.downloads.isEmpty)
            #expect(try fixture.store.updateState(of: UpdaterFixture.name)?.lastFailure == error?.message)
        }
    }

    @Test("is checked before the first byte: the quota, in which removable content counts as free")
    func quota() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            try fixture.install("1.0.1")
            let archive = fixture.publish("1.1.0")
            try Data(count: 5_000).write(to: URL(fileURLWithPath: fixture.downloadPath(for: Digest(of: [7]))))
            let use = try fixture.store.storageUse()
            let kept = use.byteCount - use.removableByteCount
            #expect(use.removableByteCount > 5_000)
            try fixture.store.setQuota(kept + Int64(archive.count) - 1)
            let error = await fixture.failure()
            #expect(error?.code == .quotaExceeded)
            #expect(error?.message.contains("\(ByteCount.text(kept)) can't be freed; nothing was fetched") == true)
            #expect(!hasAskedForArchive(fixture))
            try fixture.store.setQuota(kept + Int64(archive.count) + 5_000)
            #expect(await fixture.failure() == nil)
            #expect(fixture.active == "1.1.0")
        }
    }

    @Test(
        "is checked before the first byte: the disk, for the archive and its contents",
        .enabled("needs the right to mount") { await SmallFileSystem.isAvailable() },
        arguments: [5 << 20, 9 << 20, 1 << 34]
    )
    func disk(size: Int) async throws {
        try await withSmallFileSystem(byteCount: 8 << 20) { disk in
            let fixture = try UpdaterFixture(in: disk.directory)
            publish(size: size, fixture)
            let error = await fixture.failure()
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.contains("nothing was fetched; free some space") == true)
            #expect(!hasAskedForArchive(fixture))
            #expect(try fixture.downloads.isEmpty)
            #expect(fixture.page == "1.0.0")
        }
    }

    @Test(
        "may run out during the download, whose part is then removed",
        .enabled("needs the right to mount") { await SmallFileSystem.isAvailable() }
    )
    func diskFilledMeanwhile() async throws {
        try await withSmallFileSystem(byteCount: 8 << 20) { disk in
            let fixture = try UpdaterFixture(in: disk.directory)
            publish(size: 1 << 20, fixture)
            fixture.network.response(UpdaterFixture.source("1.1.0")) { _ in
                try disk.fill()
                return OriginResponse(.ok, [:], [[UInt8](repeating: 1, count: 1 << 18)])
            }
            try await expectFullDisk(fixture)
        }
    }

    @Test(
        "that the contents need isn't taken by the archive, which is removed",
        .enabled("needs the right to mount") { await SmallFileSystem.isAvailable() }
    )
    func diskFilledByContents() async throws {
        try await withSmallFileSystem(byteCount: 8 << 20) { disk in
            let fixture = try UpdaterFixture(in: disk.directory)
            let manifest = #"{"name": "shop", "version": "1.1.0", \#(UpdaterFixture.members)}"#
            let entries = [
                ZipFixtureEntry("index.html", [UInt8](repeating: 7, count: 1 << 21)),
                ZipFixtureEntry("bundle.json", Array(manifest.utf8)),
            ]
            let archive = fixture.publish([("1.1.0", [])]) { _ in ZipFixture(entries).bytes }[0]
            fixture.network.response(UpdaterFixture.source("1.1.0")) { _ in
                // Leaves room for the archive and little more.
                let path = disk.directory.path(of: "room")
                try Data(count: archive.count + (1 << 17)).write(to: URL(fileURLWithPath: path))
                try disk.fill()
                try FileManager.default.removeItem(atPath: path)
                return OriginResponse(.ok, [:], [archive])
            }
            try await expectFullDisk(fixture)
        }
    }

    @Test(
        "isn't taken by an archive that can never be installed, even with the right digest",
        arguments: [
            Array("no archive".utf8), Array(UpdaterFixture.archive("1.1.0").dropLast(30)),
            UpdaterFixture.archive("1.1.0", inner: "1.2.0"), ZipFixture([ZipFixtureEntry("../x", [1])]).bytes,
            ZipFixture([ZipFixtureEntry("bundle.json", Array("{".utf8))]).bytes,
        ]
    )
    func refused(archive: [UInt8]) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            for number in 0..<5 {
                // A different one each time, like a publisher's mistakes.
                let bytes = archive + [UInt8](repeating: 0, count: number)
                fixture.publish([("1.1.0", [])], archive: { _ in bytes })
                #expect(await fixture.failure() != nil)
                #expect(try fixture.downloads.isEmpty)
            }
            #expect(fixture.page == "1.0.0")
        }
    }

    @Test("isn't taken by an empty file when there is no response, or a wrong one")
    func empty() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            fixture.network.response(UpdaterFixture.source("1.1.0"), .notFound, [:], "sorry")
            #expect(await fixture.failure()?.code == .networkUnavailable)
            #expect(try fixture.downloads.isEmpty)
        }
    }

    @Test("is taken by an archive while another process works on the store")
    func busy() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            let lock = open(directory.path(of: "locks/shop.lock"), O_RDWR)
            try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
            #expect(await fixture.failure()?.code == .storeBusy)
            close(lock)
            #expect(try fixture.downloads.count == 1)
            #expect(await fixture.failure() == nil)
            #expect(fixture.network.requests.count { $0.path?.hasSuffix(".zip") == true } == 1)
        }
    }
}
