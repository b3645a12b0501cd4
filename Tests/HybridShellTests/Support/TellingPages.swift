import BundleTesting
import Foundation
import HTTPTypes

/// An origin whose bundle has one page, which tells the origin what happens to it: for windows that nobody drives.
final class TellingPages: Sendable {
    /// That of the pages.
    static let background: ScreenPicture.Color = 0xfafafa

    let origin = OriginServer()
    private let folder: TemporaryDirectory
    private let told = Monitor<[String]>([])

    init(in folder: TemporaryDirectory) async throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder.path(of: "site"), withIntermediateDirectories: true)
        origin.serve(OriginFiles(folder: folder.path(of: "site")))
        origin.route("/shop/tell") { [told] request in
            told.update { $0.append(String((request.path ?? "").drop { $0 != "?" }.dropFirst())) }
            return ScriptedResponse("thanks")
        }
        try await origin.start()
    }

    /// What the pages have told, in order.
    var reports: [String] { told.state }

    /// Waits until a page tells something, for the `count`th time.
    func wait(for report: String, count: Int = 1) async throws {
        try await told.wait(for: "“\(report)”, time \(count)", deadline: .seconds(60)) { reports in
            reports.count { $0 == report } >= count ? () : nil
        }
    }

    /// Does something with the mouse until a page tells of it. The window may not be on the screen yet when its script runs, and
    /// WebKit discards what comes while it handles a right click.
    func wait(for report: String, repeating action: (Int) throws -> Void) async throws {
        let count = reports.count { $0 == report }
        var turn = 0
        try await eventually("“\(report)”", every: .milliseconds(50)) {
            try action(turn)
            turn += 1
            return reports.count { $0 == report } > count
        }
    }

    /// Packs a version, whose page tells `open=VERSION` and what the mouse does on it, and runs a script. `opened` is the promise
    /// of the first report: a page that leaves before it has settled takes the report back.
    ///
    /// - Parameter members: Further members of its manifest.
    func pack(
        _ version: String,
        script: String = "",
        members: String = "",
        with app: ShellApp
    ) async throws -> String {
        try folder.write(
            """
            <!doctype html><title>Version \(version)</title>
            <body style="background: #fafafa; -webkit-user-select: none"><h1>Version \(version)</h1><script>
            const tell = (what) => fetch('tell?' + what, { method: 'POST' });
            for (const type of ['click', 'mousemove', 'contextmenu']) addEventListener(type, () => tell(type));
            const opened = tell('open=\(version)');
            \(script)
            </script>
            """,
            to: "pages-\(version)/index.html"
        )
        let mapping = #"[{"url": "\#(origin.baseURL)/shop/", "path": "/"}]"#
        let feed = "\(origin.baseURL)/releases/feed.json"
        try folder.write(
            #"{"name": "shop", "version": "\#(version)", "origins": \#(mapping), "feed": "\#(feed)"\#(members)}"#,
            to: "pages-\(version)/bundle.json"
        )
        let archive = folder.path(of: "shop-\(version).zip")
        try await app.bundlectl("pack", folder.path(of: "pages-\(version)"), archive)
        return archive
    }

    /// Puts a version into the feed.
    func publish(_ version: String, members: String = "", with app: ShellApp) async throws {
        try await offer(try await pack(version, members: members, with: app), with: app)
    }

    /// Puts an archive into the feed.
    func offer(_ archive: String, with app: ShellApp) async throws {
        try await app.bundlectl("publish", archive, "--to", folder.path(of: "site/releases"))
    }
}

/// Starts an app, an origin with such pages and an installed first version, and ends them all.
func withTellingPages(
    script: String = "",
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ShellApp, TellingPages) async throws -> Void
) async throws {
    try await withTemporaryDirectory { folder in
        let app = try await ShellApp(in: folder)
        let pages = try await TellingPages(in: folder)
        let first = try await pages.pack("1.0.0", script: script, with: app)
        try await app.bundlectl("install", first)
        // A shell that found no feed would wait before it asks again.
        try await pages.offer(first, with: app)
        try await body(app, pages)
        await pages.origin.stop()
        try await app.display.end()
    }
}
