import BundleTesting
import Foundation
import Testing

/// A bundle for a browser's test: a release of the sample shop, or a page, whose other files only the origin has.
struct SampleApp {
    let folder: TemporaryDirectory
    let bundlectl: Bundlectl

    /// The folder that an origin serves.
    var site: String { folder.path(of: "site") }

    init(in folder: TemporaryDirectory) {
        self.folder = folder
        bundlectl = Bundlectl(store: folder.path(of: "store"))
    }

    /// Installs the shop without some of its files, which go to the site instead, beside what only the shop's origin has.
    ///
    /// - Parameters:
    ///   - leftOut: The prefixes and suffixes of the files' names below `assets`.
    ///   - rules: Network rules, as in a manifest.
    func installShop(
        origin: String,
        leavingOut leftOut: [(prefix: String, suffix: String)],
        rules: String = "[]"
    ) async throws {
        let (release, assets) = (folder.path(of: "release"), folder.path(of: "site/shop/assets"))
        try FileManager.default.createDirectory(atPath: assets, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Project.path("bundles/shop/1.0.0"), toPath: release)
        try folder.write(Project.contents("bundles/shop/origin/api/stock.json"), to: "site/shop/api/stock.json")
        for (prefix, suffix) in leftOut {
            let name = try Project.file(in: "bundles/shop/1.0.0/assets", prefix: prefix, suffix: suffix)
            try FileManager.default.moveItem(atPath: "\(release)/assets/\(name)", toPath: "\(assets)/\(name)")
        }
        let manifest = String(decoding: try Project.contents("bundles/shop/1.0.0/bundle.json"), as: UTF8.self)
            .replacing("https://shop.example", with: origin)
            .replacing(#""entry":"#, with: #""network": {"rules": \#(rules)}, "entry":"#)
        try await install(manifest, in: "release")
    }

    /// Installs a bundle that has no more than pages with these bodies, whose icon is empty.
    func installPages(_ bodies: [String: String], origin: String) async throws {
        let head = #"<!doctype html><html lang="en"><title>Page</title><link rel="icon" href="data:,">"#
        try folder.write(tree: bodies.mapValues { head + $0 }, to: "release")
        let mapping = #"[{"url": "\#(origin)/shop/", "path": "/"}]"#
        try await install(#"{"name": "shop", "version": "1.0.0", "origins": \#(mapping)}"#, in: "release")
    }

    private func install(_ manifest: String, in release: String) async throws {
        try folder.write(manifest, to: "\(release)/bundle.json")
        let archive = folder.path(of: "release.zip")
        for arguments in [["pack", folder.path(of: release), archive], ["install", archive]] {
            let result = try await bundlectl.run(arguments)
            try #require(result.exitCode == 0, "\(result.output)\(result.errorOutput)")
        }
    }
}
