import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// `update` by each plan, and each way in which a host may fail: the old release is still served, or the new one is served as
/// a whole, and the next run recovers.
struct UpdateFaultTests {
    /// Which file of the release a plan begins with.
    enum Plan: String, CaseIterable {
        case patch, entries, archive

        /// The options of `publish` that make it the cheapest.
        var options: [String] { self == .patch ? [] : ["--patches", "0"] }

        var file: String {
            switch self {
            case .patch: "docs-1.1.0.from-1.0.0.patch"
            case .entries: "docs-1.1.0.contents.json.zst"
            case .archive: "docs-1.1.0.zip"
            }
        }
    }

    /// What a host does to a file.
    enum Fault: String, CaseIterable {
        case serverError, gone, cut, longer, otherBytes, empty, rangeIgnored, anotherRange

        func apply(to path: String, of site: FeedSite) throws {
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: site.directory.path(of: "site" + path))))
            switch self {
            case .serverError: site.origin.fail(path, with: [.status(.internalServerError)])
            case .gone: site.origin.route(path, to: .notFound)
            // Each of the attempts within one run brings a tenth.
            case .cut: site.origin.fail(path, with: [.close(afterBodyBytes: bytes.count / 10)])
            case .longer: site.origin.fail(path, with: [.announceLength(bytes.count + 1)])
            case .otherBytes: site.origin.route(path, to: ScriptedResponse(body: bytes.map { $0 ^ 0x55 }))
            case .empty: site.origin.route(path, to: ScriptedResponse())
            case .rangeIgnored: site.origin.route(path, to: ScriptedResponse(body: bytes))
            case .anotherRange:
                let fields: HTTPFields = [.contentRange: "bytes 0-\(bytes.count / 2)/\(bytes.count)"]
                let body = Array(bytes[...(bytes.count / 2)])
                site.origin.route(path, to: ScriptedResponse(status: .partialContent, fields: fields, body: body))
            }
        }

        /// Whether the file can be used all the same.
        var isHarmless: Bool { self == .rangeIgnored }
    }

    /// The files of a version. One changes a little; for the archive to be the cheapest, all do as a whole.
    private static func contents(_ version: String, for plan: Plan) -> [String: String] {
        let first: UInt64 = plan == .archive && version == "1.1.0" ? 11 : 1
        func text(_ seed: UInt64) -> String {
            var generator = SeededGenerator(seed: seed)
            return String(
                decoding: (0..<9_000).map { _ in UInt8.random(in: 65...122, using: &generator) },
                as: UTF8.self
            )
        }
        return [
            "index.html": "page \(version)", "js/app.js": version + text(first), "js/lib.js": text(first + 1),
            "x.css": text(first + 2),
        ]
    }

    private func archive(_ version: String, of site: FeedSite, for plan: Plan) async throws -> String {
        let feed = #""feed": "\#(site.feed("docs"))""#
        let manifest = #"{"name": "docs", "version": "\#(version)", "origins": [], \#(feed)}"#
        let contents = Self.contents(version, for: plan).merging(["bundle.json": manifest]) { $1 }
        let folder = try site.directory.write(tree: contents, to: "files/\(version)")
        let archive = site.directory.path(of: "docs-\(version).zip")
        try await site.bundlectl.expect(0, "pack", folder, archive)
        return archive
    }

    /// A store with 1.0.0, and a feed with 1.1.0.
    private func prepare(_ site: FeedSite, for plan: Plan) async throws {
        for version in ["1.0.0", "1.1.0"] {
            let archive = try await archive(version, of: site, for: plan)
            let publish = ["publish", archive, "--to", site.folder("docs")] + plan.options
            #expect(try await site.bundlectl.run(publish).exitCode == 0)
        }
        try await site.bundlectl.expect(0, "install", site.directory.path(of: "docs-1.0.0.zip"))
    }

    /// The active version, once its files are known to be all of one release.
    private func checkedVersion(_ site: FeedSite, _ plan: Plan) async throws -> String {
        try await site.bundlectl.expect(0, "verify")
        let version = try #require(try await site.active("docs"))
        let folder = site.directory.path(of: "export-\(UUID().uuidString)")
        try await site.bundlectl.expect(0, "export", "docs", folder)
        for (path, text) in Self.contents(version, for: plan) {
            #expect(try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8) == text)
        }
        return version
    }

    private func downloads(_ site: FeedSite) -> [String] {
        (try? FileManager.default.subpathsOfDirectory(atPath: site.bundlectl.store + "/downloads")) ?? []
    }

    @Test(.timeLimit(.minutes(5)), arguments: [Plan.patch, .entries])
    func `with each fault of the plan's first file, another plan brings the release`(plan: Plan) async throws {
        for fault in Fault.allCases {
            try await withFeedSite { site in
                try await prepare(site, for: plan)
                try fault.apply(to: "/docs/\(plan.file)", of: site)
                let entry = try await site.bundlectl.json("update")["bundles"]?.array?.first
                #expect(entry?["outcome"]?.string == "updated", "\(fault)")
                #expect((entry?["plan"]?.string == plan.rawValue) == fault.isHarmless, "\(fault)")
                #expect(try await checkedVersion(site, plan) == "1.1.0")
                #expect(downloads(site).isEmpty, "\(fault)")
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Plan.allCases)
    func `with each fault of all files the old release stays, and the next run recovers`(plan: Plan) async throws {
        for fault in Fault.allCases where !fault.isHarmless {
            try await withFeedSite { site in
                try await prepare(site, for: plan)
                for plan in Plan.allCases {
                    let path = "/docs/\(plan.file)"
                    guard FileManager.default.fileExists(atPath: site.directory.path(of: "site" + path)) else {
                        continue
                    }
                    try fault.apply(to: path, of: site)
                }
                let failed = try await site.bundlectl("update", "--json")
                #expect([65, 69].contains(failed.exitCode), "\(fault): \(failed.exitCode)")
                #expect(failed.errorOutput.contains("bundlectl: docs: "), "\(fault): \(failed.errorOutput)")
                #expect(try await checkedVersion(site, plan) == "1.0.0")
                for plan in Plan.allCases {
                    site.origin.fail("/docs/\(plan.file)", with: [])
                    site.origin.route("/docs/\(plan.file)") {
                        OriginFiles(folder: site.directory.path(of: "site")).response(to: $0)
                    }
                }
                try await site.bundlectl.expect(0, "update", "--retry")
                #expect(try await checkedVersion(site, plan) == "1.1.0", "\(fault)")
                #expect(downloads(site).isEmpty, "\(fault)")
            }
        }
    }
}
