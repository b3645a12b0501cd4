import BundleServing
import BundleStore
import BundleTesting
import Foundation
import Testing

/// Bundles made from published packages: thousands of files, three real releases. `scripts/fetch-real-bundles` makes
/// them.
@Suite(.enabled(if: RealBundle.allAreThere, "bundles/real is missing; see scripts/fetch-real-bundles"))
struct RealBundleTests {
    @Test(arguments: RealBundle.all)
    func `every file resolves byte-identical to unzip, from each version to the next`(bundle: RealBundle) async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let site = directory.path(of: "site")
            try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
            try await withChildProcess(BuiltProducts.path(of: "origin-simulator"), [site]) { origin in
                let address = try await origin.waitForLine(containing: "listening on ")
                    .replacingOccurrences(of: "listening on ", with: "")
                for (number, version) in bundle.versions.enumerated() {
                    let published = try await bundlectl(
                        "publish",
                        bundle.archive(version),
                        "--to",
                        site,
                        "--name",
                        bundle.name,
                        "--version",
                        version
                    )
                    #expect(published.exitCode == 0, "\(published.errorOutput)")
                    if number == 0 {
                        let installed = try await bundlectl(
                            "install",
                            bundle.archive(version),
                            "--name",
                            bundle.name,
                            "--version",
                            version,
                            "--origin",
                            "https://\(bundle.name).example/static/",
                            "--feed",
                            "\(address)/feed.json"
                        )
                        #expect(installed.exitCode == 0, "\(installed.errorOutput)")
                    } else {
                        try await bundlectl.expect(10, "check")
                        let update = try await bundlectl("update")
                        #expect(update.exitCode == 0, "\(update.errorOutput)")
                    }
                    #expect(try await bundlectl("list").output.contains(version))
                    try await expectEveryFile(of: bundle, version, in: bundlectl, directory)
                }
            }
            try await bundlectl.expect(0, "verify")
        }
    }

    private func expectEveryFile(
        of bundle: RealBundle,
        _ version: String,
        in bundlectl: Bundlectl,
        _ directory: TemporaryDirectory
    ) async throws {
        let plain = directory.path(of: "unzip-\(version)")
        let unzip = try await ChildProcess.run("unzip", ["-q", bundle.archive(version), "-d", plain])
        #expect(unzip.exitCode == 0)
        let resolver = ResourceResolver(try BundleStore(at: bundlectl.store).snapshot)
        let files = try TreeSnapshot(of: plain).files
        #expect(files.count == bundle.fileCount)
        var differing: [String] = []
        for (path, digest) in files {
            let url = "https://\(bundle.name).example/static/" + PercentEncoding.encode(path: path)
            let resource = resolver.resolve(url)
            let contents = resource?.contents.withUnsafeBytes { Digest(of: $0) }
            if contents != digest { differing.append(path) }
        }
        #expect(differing == [])
        try await expectServed(files.keys.sorted(), of: bundle, bundlectl, plain)
    }

    /// A sample of the files over HTTP: the first, the last and some between.
    private func expectServed(
        _ paths: [String],
        of bundle: RealBundle,
        _ bundlectl: Bundlectl,
        _ plain: String
    ) async throws {
        try await bundlectl.serving { address, _ in
            for path in stride(from: 0, to: paths.count, by: max(1, paths.count / 20)).map({ paths[$0] }) {
                let response = try await Curl.get("\(address)/\(bundle.name)/" + PercentEncoding.encode(path: path))
                #expect(
                    response.body == Array(try Data(contentsOf: URL(fileURLWithPath: "\(plain)/\(path)"))),
                    "\(path)"
                )
            }
        }
    }
}

/// A set of archives in `bundles/real`.
struct RealBundle: CustomTestStringConvertible {
    let name: String
    let versions: [String]
    let fileCount: Int

    static let all = [
        RealBundle(name: "jupyterlab", versions: ["4.5.8", "4.5.9", "4.5.10"], fileCount: 295),
        RealBundle(name: "mkdocs-material", versions: ["9.7.6", "9.7.7"], fileCount: 14_391),
    ]

    static var allAreThere: Bool {
        all.allSatisfy { bundle in
            bundle.versions.allSatisfy { FileManager.default.fileExists(atPath: bundle.archive($0)) }
        }
    }

    var testDescription: String { name }

    func archive(_ version: String) -> String { Project.path("bundles/real/\(name)-\(version).zip") }
}

extension PercentEncoding {
    fileprivate static func encode(path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map(encode(component:)).joined(separator: "/")
    }
}
