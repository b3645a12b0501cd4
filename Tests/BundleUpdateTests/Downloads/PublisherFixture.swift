import BundleInstall
import BundlePublishing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes

/// A publisher's folder, served by a scripted network.
struct PublisherFixture {
    static let base = "https://get.example.com/shop/"

    let directory: TemporaryDirectory
    let network: ScriptedTransport

    static func manifest(_ version: String) -> String {
        #"{"name": "shop", "version": "\#(version)", \#(UpdaterFixture.members)}"#
    }

    /// The archive of a release.
    ///
    /// - Parameter files: Besides the page and the manifest.
    static func archive(_ version: String, _ files: [String: String]) -> [UInt8] {
        let all = files.merging(["bundle.json": manifest(version), "index.html": version]) { $1 }
        return ZipFixture(
            all.sorted { $0.key < $1.key }.map { ZipFixtureEntry($0.key, Array($0.value.utf8)) }
        ).bytes
    }

    /// Publishes a release, and serves the folder as it is then.
    func publish(
        _ version: String,
        _ files: [String: String],
        fileExtension: String = "zip",
        archive: (([UInt8]) -> [UInt8]) = { $0 },
        patches: Int = 3
    ) throws {
        let path = try directory.write(archive(Self.archive(version, files)), to: "in-\(version)")
        _ = try FeedFolder(directory.path(of: "www"))
            .publish(
                ReleaseDraft(path, options: InstallOptions()),
                fileExtension: fileExtension,
                patchCount: patches
            )
        for (name, bytes) in try self.files() { network.response(Self.base + name, file: bytes) }
    }

    /// The files of the folder by their names.
    func files() throws -> [String: [UInt8]] {
        let names = try directory.snapshot(of: "www").files.keys
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try directory.read("www/\($0)")) })
    }

    /// Replaces what is served at a file of the folder.
    func response(_ name: String, _ script: @escaping ScriptedTransport.Script) {
        network.response(Self.base + name, script)
    }

    /// The names of the files that were requested, with their ranges.
    var requests: [String] {
        network.requests.map { request in
            let name = request.path?.split(separator: "/").last.map(String.init) ?? ""
            return request.headerFields[.range].map { "\(name) \($0)" } ?? name
        }
    }
}
