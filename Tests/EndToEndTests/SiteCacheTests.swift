import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// Devices of a site that share a cache, with the lines that the page “Sites” has for it.
@Suite(.timeLimit(.minutes(10)))
struct SiteCacheTests {
    /// How many devices the site has.
    private static let deviceCount = 50

    @Test(
        .enabled(if: CacheProgram.areInstalled, "nginx and varnish are not installed; see scripts/bootstrap tests"),
        arguments: CacheProgram.allCases
    )
    func `fifty devices behind a cache fetch a release from the origin once`(program: CacheProgram) async throws {
        try await withFeedSite { site in
            let size = try await Self.publish("docs", "1.0.0", site)
            try await program.running(before: site.origin.port, in: site.directory) { mirror in
                site.origin.forgetRequests()
                try await Self.forEachDevice { number in
                    let bundlectl = Bundlectl(store: site.directory.path(of: "device-\(number)"))
                    try await bundlectl.expect(0, "install", site.feed("docs"), "--mirror", mirror)
                    #expect(try await bundlectl("list").output.contains("1.0.0"))
                }
                let sent = Self.sentByteCount(site.origin.requests, size)
                #expect(sent > 0 && Double(sent) <= 1.05 * Double(size), "\(sent) of \(size) bytes")
                #expect(site.origin.requestedPaths.count { $0 == "/docs/feed.json" } == Self.deviceCount)
            }
        }
    }

    @Test func `a cache that sends something else, or that isn't there, changes nothing but the way`() async throws {
        try await withFeedSite { site in
            try await site.publish("docs", "1.0.0")
            try await withOriginServer { cache in
                let path = "/127.0.0.1:\(site.origin.port)/docs/docs-1.0.0.zip"
                let archive = site.folder("docs") + "/docs-1.0.0.zip"
                let bytes = Array(try #require(FileManager.default.contents(atPath: archive)))
                cache.route(path, to: ScriptedResponse(body: bytes.map { $0 ^ 1 }))
                let nowhere = try ReservedPort()
                for (name, mirror) in [("lied-to", cache.baseURL), ("alone", "http://127.0.0.1:\(nowhere.number)")] {
                    let bundlectl = Bundlectl(store: site.directory.path(of: name))
                    try await bundlectl.expect(0, "install", site.feed("docs"), "--mirror", mirror)
                    try await bundlectl.expect(0, "verify")
                    let copy = site.directory.path(of: "\(name)-files")
                    try await bundlectl.expect(0, "export", "docs", copy)
                    let page = FileManager.default.contents(atPath: copy + "/index.html")
                    #expect(page == Data("docs 1.0.0".utf8))
                }
                #expect(cache.requestedPaths.count { $0 == path } == 1)
            }
            try await site.bundlectl.expect(64, "update", "--mirror", "cache.local")
        }
    }

    /// Publishes an archive of some pieces of a cache, and returns its length.
    private static func publish(_ name: String, _ version: String, _ site: FeedSite) async throws -> Int {
        var generator = SeededGenerator(seed: 1)
        let data = (0..<400_000).map { _ in UInt64.random(in: .min ... .max, using: &generator) }
        let manifest = #"{"name": "docs", "version": "\#(version)", "origins": [], "feed": "\#(site.feed(name))"}"#
        try site.directory.write(manifest, to: "large/bundle.json")
        try site.directory.write(data.withUnsafeBytes { Data($0) }, to: "large/data.bin")
        try site.directory.write("<!doctype html>", to: "large/index.html")
        let archive = site.directory.path(of: "large.zip")
        try await site.bundlectl.expect(0, "pack", site.directory.path(of: "large"), archive)
        try await site.bundlectl.expect(0, "publish", archive, "--to", site.folder(name))
        let published = try FileManager.default.attributesOfItem(atPath: "\(site.folder(name))/\(name)-\(version).zip")
        return try #require((published[.size] as? NSNumber)?.intValue)
    }

    /// Several at a time, as devices ask at different moments.
    private static func forEachDevice(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...deviceCount {
                if number > 8 { try await group.next() }
                group.addTask { try await body(number) }
            }
            try await group.waitForAll()
        }
    }

    /// What the origin has sent of archives, by the ranges that it was asked for.
    private static func sentByteCount(_ requests: [HTTPRequest], _ size: Int) -> Int {
        requests.filter { $0.path?.hasSuffix(".zip") == true }.reduce(0) { sum, request in
            let ends = request.headerFields[.range]?.dropFirst("bytes=".count).split(separator: "-").compactMap {
                Int($0)
            }
            guard let ends, let first = ends.first else { return sum + size }
            return sum + min(ends.count > 1 ? ends[1] + 1 : size, size) - min(first, size)
        }
    }
}

/// A cache of another project, which runs with the lines of the page “Sites”.
enum CacheProgram: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case nginx, varnish

    var testDescription: String { rawValue }

    private var executable: String { self == .nginx ? "/usr/sbin/nginx" : "/usr/sbin/varnishd" }

    static var areInstalled: Bool {
        allCases.allSatisfy { FileManager.default.isExecutableFile(atPath: $0.executable) }
    }

    /// Calls `body` with the URL of a cache for an origin on this machine. It ends with the call.
    func running(
        before origin: Int,
        in folder: TemporaryDirectory,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (_ url: String) async throws -> Void
    ) async throws {
        let port = try ReservedPort()
        let lines = try Self.lines(of: rawValue == "nginx" ? "nginx" : "vcl")
        let arguments =
            switch self {
            case .nginx: try Self.nginx(lines, origin, port.number, in: folder)
            case .varnish: try Self.varnish(lines, origin, port.number, in: folder)
            }
        try await withChildProcess(executable, arguments) { _ in
            let url = "http://127.0.0.1:\(port.number)"
            try await eventually("\(rawValue) at \(url)", every: .milliseconds(100)) {
                (try? await Curl.get(url + "/")) != nil
            }
            try await body(url)
        }
    }

    private static func nginx(
        _ lines: String,
        _ origin: Int,
        _ port: Int,
        in folder: TemporaryDirectory
    ) throws -> [String] {
        let server = lines.replacing("/var/cache/nginx/bundles", with: folder.path(of: "nginx-cache"))
            .replacing("listen 8080;", with: "listen 127.0.0.1:\(port);")
            .replacing("https://get.example.com/", with: "http://127.0.0.1:\(origin)/")
            .replacing("get.example.com", with: "127.0.0.1:\(origin)")
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.path(of: "nginx-\($0)"));" }
        let configuration = """
            daemon off;
            master_process off;
            pid \(folder.path(of: "nginx.pid"));
            error_log \(folder.path(of: "nginx.log"));
            events {}
            http {
            access_log off;
            \(temporary.joined(separator: "\n"))
            \(server)
            }

            """
        return ["-c", try folder.write(configuration, to: "nginx.conf"), "-e", folder.path(of: "nginx.log")]
    }

    private static func varnish(
        _ lines: String,
        _ origin: Int,
        _ port: Int,
        in folder: TemporaryDirectory
    ) throws -> [String] {
        let configuration = lines.replacing("8081", with: "\(origin)")
            .replacing(#"get\.example\.com"#, with: "127\\.0\\.0\\.1:\(origin)")
            .replacing("get.example.com", with: "127.0.0.1:\(origin)")
        let path = try folder.write(configuration, to: "cache.vcl")
        let working = folder.path(of: "varnish")
        // Another user, which it would become, can't read the folder.
        return ["-j", "none", "-F", "-a", "127.0.0.1:\(port)", "-f", path, "-n", working, "-s", "malloc,100m"]
    }

    /// The block of the page in a language.
    private static func lines(of language: String) throws -> String {
        let page = String(decoding: try Project.contents("Sources/bundlectl/bundlectl.docc/Sites.md"), as: UTF8.self)
        let block = try #require(page.components(separatedBy: "```\(language)\n").dropFirst().first)
        return try #require(block.components(separatedBy: "```").first)
    }
}
