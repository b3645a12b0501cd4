import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("A release that was fetched and can't be used")
struct RefusedReleaseTests {
    private func archive(_ members: String = UpdaterFixture.members, page: Int = 10) -> [UInt8] {
        ZipFixture([
            ZipFixtureEntry("bundle.json", Array(#"{"name": "shop", "version": "1.1.0", \#(members)}"#.utf8)),
            ZipFixtureEntry("index.html", [UInt8](repeating: 7, count: page)),
        ]).bytes
    }

    /// Updates, and expects a failure.
    ///
    /// - Parameter isFinal: Whether the archive counts as refused for good; nil when it doesn't count as refused.
    private func expectFailure(_ fixture: UpdaterFixture, _ code: BundleError.Code, isFinal: Bool?) async throws {
        let error = await fixture.failure()
        #expect(error?.code == code)
        let refusal = error?.cause as? RefusedRelease
        #expect(refusal?.isFinal == isFinal)
        #expect(try fixture.store.failedReleases(of: UpdaterFixture.name).isEmpty == (isFinal != true))
        if let refusal { #expect(refusal.release.version.string == "1.1.0") }
        #expect(fixture.active == "1.0.0")
    }

    @Test(
        "counts as refused because of its archive",
        arguments: [
            (#""origins": [{"url": "https://docs.example.com/a/", "path": "/"}]"#, .originConflict),
            (#""origins": 5"#, .invalidManifest), (#""origins": []"#, nil),
        ] as [(String, BundleError.Code?)]
    )
    func archives(members: String, code: BundleError.Code?) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let origins = #""origins": [{"url": "https://docs.example.com/", "path": "/"}]"#
            try fixture.store.install(try BundleManifest.sample("docs", "1.0.0", origins), files: ["index.html": ""])
            fixture.publish([("1.1.0", [])]) { _ in archive(members) }
            guard let code else {
                #expect(await fixture.failure() == nil)
                return
            }
            try await expectFailure(fixture, code, isFinal: code != .originConflict)
            #expect(try fixture.downloads.isEmpty)
        }
    }

    @Test("counts as refused when the archive has space but its contents don't")
    func contents() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let offered = fixture.publish([("1.1.0", [])]) { _ in archive(page: 1 << 20) }[0]
            let use = try fixture.store.storageUse()
            try fixture.store.setQuota(use.byteCount - use.removableByteCount + Int64(offered.count) + 1_000)
            try await expectFailure(fixture, .quotaExceeded, isFinal: false)
            #expect(try fixture.downloads.isEmpty)
        }
    }

    @Test(
        "differs from one that wasn't received, or not completely",
        arguments: ["feed", "status", "end", "length", "digest"]
    )
    func fetching(what: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            let source = UpdaterFixture.source("1.1.0")
            switch what {
            case "feed": fixture.network.response(UpdaterFixture.feed, .ok, [:], "no feed")
            case "status": fixture.network.response(source, .notFound, [:], "sorry")
            case "end": fixture.network.response(source) { _ in OriginResponse(.ok, [:], [Array(archive.dropLast())]) }
            case "length": fixture.network.response(source, file: archive + [0])
            default: fixture.network.response(source, file: archive.reversed())
            }
            let code: BundleError.Code = ["status", "end"].contains(what) ? .networkUnavailable : .invalidFeed
            try await expectFailure(fixture, code, isFinal: what == "digest" ? false : nil)
        }
    }
}
