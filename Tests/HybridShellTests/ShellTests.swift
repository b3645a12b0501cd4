import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// The real window, under Xvfb.
@Suite(
    "The shell",
    .serialized,
    .enabled(if: ShellWindow.canRun, "scripts/test builds the shell after scripts/bootstrap window")
)
struct ShellTests {
    private static let state = """
        return [location.origin, document.title, isSecureContext, document.querySelector('[data-version]').textContent]
        """
    private static let isDrawn = """
        document.images.length > 3 && [...document.images].slice(0, 3).every((image) => image.complete)
        """
    private static let store = """
        const idb = await new Promise((resolve, reject) => {
            const open = indexedDB.open('notes', 1);
            open.onupgradeneeded = () => open.result.createObjectStore('notes');
            open.onerror = () => reject(open.error);
            open.onsuccess = () => {
                const notes = open.result.transaction('notes', 'readwrite').objectStore('notes');
                const get = notes.get('count');
                get.onsuccess = () => { const n = (get.result ?? 0) + 1; notes.put(n, 'count').onsuccess = () => resolve(n); };
            };
        });
        localStorage.count = Number(localStorage.count ?? 0) + 1;
        """

    @Test(
        "a bundle has its real https origin, plays media by ranges, keeps its data over an update and a rollback",
        .timeLimit(.minutes(4))
    )
    func origin() async throws {
        try await withTemporaryDirectory { folder in
            let app = try await ShellApp(in: folder)
            let media = [
                "media.html": "<!doctype html><title>Media</title><video preload=auto src=sound.wav></video>",
                "notes/index.html": "<!doctype html><title>Notes</title>",
            ]
            let first = try app.shop("1.0.0", adding: media)
            try folder.write(Self.sound, to: "release-1.0.0/sound.wav")
            try await app.install(first)
            try await app.drive("--update-interval", "0") { browser in
                try await browser.navigate(to: "https://shop.example/shop/")
                #expect(try await browser.execute(Self.state) == ["https://shop.example", "Pier Nine", true, "1.0.0"])
                #expect(try await browser.execute(Self.store + "return [idb, Number(localStorage.count)]") == [1, 1])
                try await browser.execute("document.cookie = 'a=b; Secure; SameSite=Strict'")
                try await browser.wait(until: Self.isDrawn)
                try app.keep(try await browser.screenshot(), as: "1-https.png")

                try await browser.navigate(to: "https://shop.example/shop/media.html")
                #expect(try await browser.execute(Self.seek) == 3)
                #expect(
                    try await browser.execute(Self.range) == [206, .string("bytes 100-199/\(Self.sound.count)"), 100]
                )
                try await browser.goBack()
                #expect(try await browser.execute("return document.title") == "Pier Nine")
                try await browser.goForward()
                #expect(try await browser.execute("return document.title") == "Media")

                try await app.install(try app.shop("1.1.0"))
                try await Self.wait(for: "1.1.0", browser)
                #expect(try await browser.execute(Self.store + "return [idb, Number(localStorage.count)]") == [2, 2])
                #expect(try await browser.execute("return document.cookie") == "a=b")
                try await browser.wait(until: Self.isDrawn)
                try app.keep(try await browser.screenshot(), as: "2-update.png")
                try app.keepScreen(as: "2-window.xwd")
                try await app.bundlectl("rollback", "shop")
                try await Self.wait(for: "1.0.0", browser)
                #expect(try await browser.execute(Self.store + "return [idb, Number(localStorage.count)]") == [3, 3])

                try await browser.navigate(to: "https://shop.example/elsewhere")
                #expect(
                    try await browser.execute("return document.body.innerText").string?.contains("Try again") == true
                )
                try app.keep(try await browser.screenshot(), as: "3-error.png")

                try await browser.navigate(to: "bundle://shop/")
                #expect(try await browser.execute(Self.state) == ["bundle://shop", "Pier Nine", true, "1.0.0"])
                // A folder without its slash is a redirect, which a scheme can't have. As by a link: the driver's own navigation may wait
                // for the page that replaces itself while it is loaded.
                try await browser.execute("location.href = 'bundle://shop/notes'")
                try await eventually("the page behind the redirect", every: .milliseconds(50)) {
                    (try? await browser.execute("return document.title")) == "Notes"
                }
                #expect(try await browser.execute("return location.href") == "bundle://shop/notes/")
                let text = "return fetch('/notes').then((r) => r.text())"
                #expect(try await browser.execute(text).string?.contains("<title>Notes</title>") == true)
                // WebKitGTK's media player asks for http and https alone, so a video needs the https origin.
                try await browser.navigate(to: "bundle://shop/media.html")
                #expect(
                    try await browser.execute(Self.range) == [206, .string("bytes 100-199/\(Self.sound.count)"), 100]
                )
            }
            try await app.display.end()
        }
    }

    @Test(
        "the origin gets POST, CORS is the browser's, a download is stored, and without the origin the cache responds",
        .timeLimit(.minutes(4))
    )
    func network() async throws {
        try await withTemporaryDirectory { folder in
            let app = try await ShellApp(in: folder)
            let origin = OriginServer()
            origin.route("/shop/api/stock.json") { _ in
                ScriptedResponse(
                    fields: [.contentType: "application/json", .cacheControl: "max-age=1"],
                    body: Array(#"{"a":1}"#.utf8)
                )
            }
            origin.route("/shop/order") { request in
                ScriptedResponse("\(request.method) \(request.headerFields[.contentLength] ?? "")")
            }
            origin.route("/shop/list.csv") { _ in
                ScriptedResponse(
                    fields: [.contentType: "text/csv", .contentDisposition: "attachment"],
                    body: Array("a,b\n".utf8)
                )
            }
            origin.route("/shop/free", to: ScriptedResponse("<!doctype html><title>Free</title>", type: "text/html"))
            try await origin.start()
            let other = OriginServer()
            other.route("/open") { _ in
                ScriptedResponse(fields: [.accessControlAllowOrigin: "*"], body: Array("open".utf8))
            }
            other.route("/closed", to: ScriptedResponse("closed"))
            try await other.start()
            try await app.install(try app.shop("1.0.0", origin: origin.baseURL))
            let start = origin.baseURL + "/shop/"
            try await app.drive("--update-interval", "0") { browser in
                try await browser.navigate(to: start)
                let post = "return fetch('order', { method: 'POST', body: 'x'.repeat(70000) }).then((r) => r.text())"
                #expect(try await browser.execute(post) == "POST 70000")
                let fetch = { (url: String) in "return fetch('\(url)').then((r) => r.text(), () => 'refused')" }
                #expect(try await browser.execute(fetch("api/stock.json")) == #"{"a":1}"#)
                try await browser.execute("location.href = 'list.csv'")
                let list = folder.path(of: "downloads/list.csv")
                // WebKit makes the file empty, and renames the whole one over it.
                try await eventually("the download", every: .milliseconds(50)) {
                    (try? String(contentsOfFile: list, encoding: .utf8)) == "a,b\n"
                }
                #expect(try await browser.execute("return document.title") == "Pier Nine")
                // A page of the network, whose content security policy allows other origins.
                try await browser.navigate(to: start + "free")
                #expect(try await browser.execute(fetch(other.baseURL + "/open")) == "open")
                #expect(try await browser.execute(fetch(other.baseURL + "/closed")) == "refused")
                await origin.stop()
                #expect(try await browser.execute(fetch("api/stock.json")) == #"{"a":1}"#)
                try await browser.navigate(to: start + "account")
                #expect(try await browser.execute("return document.title").string?.isEmpty == false)
                try app.keep(try await browser.screenshot(), as: "4-offline.png")
                try app.keepScreen(as: "4-window.xwd")
            }
            await origin.stop()
            await other.stop()
            try await app.display.end()
        }
    }

    @Test("local storage and IndexedDB survive restarts and an update, in kiosk mode", .timeLimit(.minutes(4)))
    func restarts() async throws {
        try await withTemporaryDirectory { folder in
            let app = try await ShellApp(in: folder)
            let origin = OriginServer()
            origin.route("/shop/report", to: ScriptedResponse("thanks"))
            try await origin.start()
            for (run, version) in ["1.0.0", "1.0.0", "1.1.0"].enumerated() {
                if run != 1 {
                    try folder.write(Self.reporting(version), to: "\(run)/index.html")
                    let mapping = #"[{"url": "\#(origin.baseURL)/shop/", "path": "/"}]"#
                    try folder.write(
                        #"{"name": "shop", "version": "\#(version)", "origins": \#(mapping)}"#,
                        to: "\(run)/bundle.json"
                    )
                    try await app.install(folder.path(of: "\(run)"))
                }
                let shell = try app.start("--fullscreen", "--update-interval", "0")
                try await origin.waitForRequests(run + 1)
                #expect(
                    origin.requestedPaths.last
                        == "/shop/report?v=\(version)&local=\(run + 1)&idb=\(run + 1)&cookie=\(run + 1)"
                )
                let result = try await shell.terminate()
                #expect(result.exitCode == 0, "\(result.errorOutput)")
            }
            await origin.stop()
            try await app.display.end()
        }
    }

    @Test("what can't be opened is said in one line, with what to do", .timeLimit(.minutes(5)))
    func refusals() async throws {
        try await withTemporaryDirectory { folder in
            let app = try await ShellApp(in: folder)
            let missing = try await app.start().wait()
            #expect(missing.exitCode != 0)
            #expect(missing.errorOutput.contains("shop isn't installed in \(app.store)"))
            var environment = app.environment
            environment["DISPLAY"] = nil
            environment["WAYLAND_DISPLAY"] = nil
            let program = ShellWindow.program
            let blind = try await ChildProcess.run(program, app.arguments, environment: environment)
            #expect(blind.errorOutput.contains("there is no display"))
            try await app.display.end()
        }
    }

    /// Reloads until the shell has noticed a change of another process.
    private static func wait(for version: String, _ browser: Browser) async throws {
        for _ in 0..<100 {
            try await browser.navigate(to: "https://shop.example/shop/")
            if try await browser.execute("return document.querySelector('[data-version]').textContent")
                == .string(version)
            {
                return
            }
        }
        Issue.record("\(version) doesn't respond")
    }

    private static func reporting(_ version: String) -> String {
        """
        <!doctype html><title>Report</title><script type="module">
        \(store)
        const cookie = Number(document.cookie.match(/count=(\\d+)/)?.[1] ?? 0) + 1;
        document.cookie = `count=${cookie}; max-age=3600`;
        await fetch(`report?v=\(version)&local=${localStorage.count}&idb=${idb}&cookie=${cookie}`);
        </script>
        """
    }

    private static let seek = """
        const video = document.querySelector('video');
        const event = (name) => new Promise((resolve, reject) => {
            video.addEventListener(name, resolve, { once: true });
            video.addEventListener('error', () => reject(Error(video.error.message)), { once: true });
        });
        if (video.readyState < HTMLMediaElement.HAVE_METADATA) await event('loadedmetadata');
        const sought = event('seeked');
        video.currentTime = video.duration * 3 / 4;
        await sought;
        const before = video.currentTime;
        video.muted = true;
        await video.play();
        while (video.currentTime <= before) await event('timeupdate');
        video.pause();
        return Math.round(before / video.duration * 4);
        """

    private static let range = """
        const response = await fetch('sound.wav', { headers: { Range: 'bytes=100-199' } });
        return [response.status, response.headers.get('Content-Range'), (await response.arrayBuffer()).byteLength];
        """

    /// A RIFF WAVE file of silence: one channel of 8 bits, 8,000 times a second, for a minute.
    private static let sound: [UInt8] = {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xff) } }
        let byteCount = 480_000
        var head = Array("RIFF".utf8) + number(36 + byteCount, 4) + Array("WAVEfmt ".utf8) + number(16, 4)
        head += number(1, 2) + number(1, 2) + number(8_000, 4) + number(8_000, 4) + number(1, 2) + number(8, 2)
        return head + Array("data".utf8) + number(byteCount, 4) + [UInt8](repeating: 0x80, count: byteCount)
    }()
}
