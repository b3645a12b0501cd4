import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// A publisher's server in this process, which may fail as a test wants, with bundles of a small page and
/// of data of which little changes from release to release.
struct FeedSite {
    let directory: TemporaryDirectory
    let origin: OriginServer
    let bundlectl: Bundlectl

    /// The URL of a bundle's feed.
    func feed(_ name: String) -> String { "\(origin.baseURL)/\(name)/feed.json" }

    /// The folder of a bundle's feed.
    func folder(_ name: String) -> String { directory.path(of: "site/\(name)") }

    /// Makes an archive of a bundle that follows its feed.
    func archive(
        _ name: String,
        _ version: String,
        members: String? = nil,
        origins: String = "[]"
    ) async throws -> String {
        let feed = members ?? #""feed": "\#(feed(name))""#
        let manifest = #"{"name": "\#(name)", "version": "\#(version)", "origins": \#(origins), \#(feed)}"#
        let data = (0..<300).map { "value \($0 &* 7_919 % 9_973)\n" }.joined()
        let contents = ["bundle.json": manifest, "index.html": "\(name) \(version)", "data.txt": data + version]
        let folder = try directory.write(tree: contents, to: "files/\(name)-\(version)")
        let archive = directory.path(of: "\(name)-\(version).zip")
        try await bundlectl.expect(0, "pack", folder, archive)
        return archive
    }

    /// Makes an archive and adds it to the feed.
    func publish(_ name: String, _ version: String, _ options: String...) async throws {
        let archive = try await archive(name, version)
        let result = try await bundlectl.run(["publish", archive, "--to", folder(name)] + options)
        #expect(result.exitCode == 0, "\(result.errorOutput)")
    }

    /// Installs a version of a bundle from its archive.
    func install(_ name: String, _ version: String) async throws {
        try await bundlectl.expect(0, "install", archive(name, version))
    }

    /// The active version of a bundle.
    func active(_ name: String) async throws -> String? {
        try await bundlectl.json("list")["bundles"]?.array?.first { $0["name"]?.string == name }?["active"]?.string
    }
}

/// Starts a publisher's server, and passes it on with a `bundlectl` that has its own store.
///
/// - Parameter hosts: For https, what its certificate is for, which is in `site-certificate.pem`; nil for http.
func withFeedSite(
    secureFor hosts: [String]? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (FeedSite) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        try FileManager.default.createDirectory(atPath: directory.path(of: "site"), withIntermediateDirectories: true)
        let certificate = try hosts.map { try TestCertificate.make("site", for: $0, in: directory) }
        let files = OriginFiles(folder: directory.path(of: "site"))
        try await withOriginServer(files: files, certificate: certificate) { origin in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            try await body(FeedSite(directory: directory, origin: origin, bundlectl: bundlectl))
        }
    }
}
