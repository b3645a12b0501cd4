import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// `doctor` on real stores, sound and broken.
struct DoctorTests {
    @Test func `a sound store has no error, and nothing of it changes`() async throws {
        try await withShopStore { bundlectl, publisher in
            let before = try Self.files(of: bundlectl)
            let report = try await bundlectl.expect(0, "doctor", "--offline")
            #expect(report.output.contains("SQLite finds it sound"), "\(report.output)")
            #expect(report.output.contains("1 bundle can be opened"))
            #expect(report.output.contains("0 errors, "))
            #expect(try Self.files(of: bundlectl) == before)
            try await bundlectl.serving { address, _ in
                let served = try await bundlectl.expect(0, "doctor", "--offline")
                #expect(served.output.contains("a server serves it"))
                let port = address.split(separator: ":").last.map(String.init) ?? ""
                let taken = try await bundlectl.expect(11, "doctor", "--offline", "--listen", "127.0.0.1:\(port)")
                #expect(taken.output.contains("(bundlectl)"), "\(taken.output)")
                #expect(try await Curl.get("\(address)/shop/").status == 200)
            }
            let free = try await bundlectl.expect(0, "doctor", "--offline", "--listen", "127.0.0.1:0")
            #expect(free.output.contains("a server could listen on 127.0.0.1:0"))
        }
    }

    @Test func `a store that isn't there is an error, and isn't made`() async throws {
        try await withTemporaryDirectory { folder in
            let bundlectl = Bundlectl(store: folder.path(of: "store"))
            let report = try await bundlectl.expect(11, "doctor")
            #expect(report.output.contains("there is no store in \(bundlectl.store)"))
            #expect(report.output.contains("bundlectl install ARCHIVE"))
            #expect(!FileManager.default.fileExists(atPath: bundlectl.store))
        }
    }

    @Test(arguments: [
        ("catalog.sqlite", "catalog"), ("indexes", "bundles"), ("segments", "bundles"),
    ])
    func `damage is an error that says where`(place: String, subject: String) async throws {
        try await withShopStore { bundlectl, _ in
            try Self.damage(bundlectl.store, place)
            let findings = try await bundlectl.json("doctor", "--offline")["findings"]?.array ?? []
            let errors = findings.filter { $0["state"]?.string == "error" }
            #expect(!errors.isEmpty, "\(findings)")
            #expect(errors.contains { [subject, "store"].contains($0["subject"]?.string) }, "\(errors)")
            try await bundlectl.expect(11, "doctor", "--offline", "--quiet")
        }
    }

    @Test func `a feed is asked, and one that isn't there is an error`() async throws {
        try await withFeedSite { site in
            try await site.publish("docs", "1.0.0")
            try await site.install("docs", "1.0.0")
            let sound = try await site.bundlectl.expect(0, "doctor")
            #expect(sound.output.contains("feed \(site.feed("docs")) responds with 200"), "\(sound.output)")
            site.origin.fail("/docs/feed.json", with: [.status(.notFound)])
            let missing = try await site.bundlectl.expect(11, "doctor", "--quiet")
            #expect(missing.output.contains("responds with 404"))
            #expect(!missing.output.contains("SQLite"))
            try await site.bundlectl.expect(0, "doctor", "--offline")
            await site.origin.stop()
            #expect(try await site.bundlectl.expect(11, "doctor").output.contains("feed \(site.feed("docs")): "))
        }
    }

    @Test func `the certificate's days are counted, and a file that is none is an error`() async throws {
        try await withShopStore { bundlectl, publisher in
            let certificate = try TestCertificate.make("shop", in: publisher.directory).certificate
            let report = try await bundlectl.run(["doctor", "--offline", "--tls-certificate", certificate])
            #expect(report.exitCode == 0)
            #expect(report.output.contains("\(certificate) is valid for 1 day, until"), "\(report.output)")
            let file = try publisher.directory.write("none", to: "none.pem")
            try await bundlectl.expect(11, "doctor", "--offline", "--tls-certificate", file)
        }
    }

    private func withShopStore(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Bundlectl, Publisher) async throws -> Void
    ) async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await body(bundlectl, publisher)
        }
    }

    /// Without the memory that SQLite's readers share.
    private static func files(of bundlectl: Bundlectl) throws -> [String: Digest] {
        try TreeSnapshot(of: bundlectl.store).files.filter { !$0.key.hasSuffix("-shm") }
    }

    /// Overwrites the file, or each file of the folder.
    private static func damage(_ store: String, _ place: String) throws {
        let path = "\(store)/\(place)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        try #require(!names.isEmpty || FileManager.default.fileExists(atPath: path))
        for file in names.isEmpty ? [path] : names.map({ "\(path)/\($0)" }) {
            try Data(repeating: 0x2A, count: 100).write(to: URL(fileURLWithPath: file))
        }
    }
}
