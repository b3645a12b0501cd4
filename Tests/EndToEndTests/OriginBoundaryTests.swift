import BundleTesting
import Foundation
import Testing

/// What a bundle's manifest can't claim.
struct OriginBoundaryTests {
    /// An archive `NAME.zip` of a bundle with one page.
    private func pack(
        _ name: String,
        _ version: String = "1",
        origin: String,
        in directory: TemporaryDirectory,
        with bundlectl: Bundlectl
    ) async throws -> String {
        let folder = "\(name)-\(version)"
        let manifest = #"{"name": "\#(name)", "version": "\#(version)", "origins": [{"url": "\#(origin)"}]}"#
        try directory.write(manifest, to: "\(folder)/bundle.json")
        try directory.write("<p>\(name)", to: "\(folder)/index.html")
        let archive = directory.path(of: "\(folder).zip")
        try await bundlectl.expect(0, "pack", directory.path(of: folder), archive)
        return archive
    }

    @Test func `another bundle's URLs are refused, at installation and by updates, until the operator permits it`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            let (directory, origin) = (publisher.directory, publisher.origin)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let checkout = try await pack(
                "checkout",
                origin: "\(origin)/shop/checkout/",
                in: directory,
                with: bundlectl
            )
            let refused = try await bundlectl.expect(65, "install", checkout)
            #expect(refused.errorOutput.contains("\(origin)/shop/checkout/ lies in \(origin)/shop/ of shop"))
            #expect(refused.errorOutput.contains("--allow-overlap shop"))
            #expect(try await bundlectl("list").output.contains("checkout") == false)

            let permitted = try await bundlectl.expect(0, "install", checkout, "--allow-overlap", "shop")
            #expect(permitted.errorOutput.contains("checkout serves what both cover"))
            let later = try await pack(
                "checkout",
                "2",
                origin: "\(origin)/shop/checkout/",
                in: directory,
                with: bundlectl
            )
            try await bundlectl.expect(0, "install", later)
        }
    }

    @Test func `an update that claims another bundle's URLs fails, and the old version is served`() async throws {
        try await withPublisher { publisher, bundlectl in
            let (directory, origin) = (publisher.directory, publisher.origin)
            let first = try await pack("news", origin: "\(origin)/news/", in: directory, with: bundlectl)
            let second = try await pack("news", "2", origin: "\(origin)/", in: directory, with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "install", first)
            try await bundlectl.expect(0, "publish", second, "--to", publisher.site + "/releases/news")
            let update = try await bundlectl("update", "news", "--feed", "\(origin)/releases/news/feed.json")
            #expect(update.exitCode == 65)
            #expect(update.errorOutput.contains("claims URLs of another bundle"))
            #expect(try await bundlectl.json("show", "news")["version"]?.string == "1")
            try await bundlectl.expect(64, "show", "news@2")
        }
    }

    @Test func `an endpoint for other machines reaches local origins only with --allow-origin-network`() async throws {
        try await withPublisher { publisher, bundlectl in
            let install = try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            #expect(install.errorOutput.contains("--allow-origin-network loopback"))
            let arguments = ["serve", "--listen", "0.0.0.0:0", "--admin", "127.0.0.1:0"]
            for (options, status) in [([], 504), (["--allow-origin-network", "loopback"], 200)] {
                try await withChildProcess(Bundlectl.path, arguments + options, environment: bundlectl.environment) {
                    let line = try await $0.waitForLine(containing: "listening on ")
                    let port = line.split(separator: ":").last ?? ""
                    let response = try await Curl.get("http://127.0.0.1:\(port)/shop/api/stock.json")
                    #expect(response.status == status)
                    #expect((response["Cache-Status"]?.contains("origin denied") == true) == (status == 504))
                }
            }
            try await bundlectl.expect(64, "serve", "--allow-origin-network", "link-local")
        }
    }
}
