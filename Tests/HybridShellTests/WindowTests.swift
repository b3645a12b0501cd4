import BundleTesting
import Foundation
import Testing

/// The real window, without WebDriver: what is on the screen, and what a mouse does there.
@Suite(
    "The shell's window",
    .serialized,
    .enabled(if: ShellWindow.canRun, "scripts/test builds the shell after scripts/bootstrap window")
)
struct WindowTests {
    @Test(
        "an update comes by itself; the notice on the screen offers it, and reloading shows it",
        .timeLimit(.minutes(5))
    )
    func offeredUpdate() async throws {
        try await withTellingPages { app, pages in
            let shell = try app.start("--update-interval", "1")
            try await pages.wait(for: "open=1.0.0")
            #expect(try app.notices(.update) == 0)
            try await pages.publish("1.1.0", with: app)
            try await app.waitForScreen("the notice") { try app.notices(.update) > 1_000 }
            try app.keepScreen(as: "5-notice.xwd")
            #expect(!pages.reports.contains("open=1.1.0"), "the page may have what isn't sent yet")
            try Mouse(of: app.display).click(.left, x: 112, y: 27)
            try await pages.wait(for: "open=1.1.0")
            try await app.waitForScreen("the notice's end") { try app.notices(.update) == 0 }
            #expect(try await shell.terminate().exitCode == 0)
        }
    }

    @Test("in kiosk mode an update is shown by itself, without a notice", .timeLimit(.minutes(5)))
    func kioskUpdate() async throws {
        try await withTellingPages { app, pages in
            let shell = try app.start("--fullscreen", "--update-interval", "1")
            try await pages.wait(for: "open=1.0.0")
            try await pages.publish("1.1.0", with: app)
            try await pages.wait(for: "open=1.1.0")
            #expect(try app.notices(.update) == 0)
            #expect(pages.reports.filter { $0.hasPrefix("open") } == ["open=1.0.0", "open=1.1.0"])
            try await app.waitForScreen("the page on the whole screen") {
                let picture = try ScreenPicture(of: app.display)
                let end = (picture.height - 100)..<picture.height
                return picture.count(of: TellingPages.background, x: 0..<picture.width, y: end) == 100 * picture.width
            }
            #expect(try await shell.terminate().exitCode == 0)
        }
    }

    @Test(
        "a release is confirmed once its page has worked for a while, and not by a page that it lacks",
        .timeLimit(.minutes(5))
    )
    func confirmation() async throws {
        try await withTellingPages { app, pages in
            let health = #", "health": {"within": "1h"}"#
            let lost = try await pages.pack(
                "1.1.0",
                script: "opened.finally(() => location = 'gone')",
                members: health,
                with: app
            )
            try await app.bundlectl("install", lost)
            let broken = try app.start("--update-interval", "0")
            try await pages.wait(for: "open=1.1.0")
            try await app.waitForScreen("another page") { try Self.coveredCount(on: app) > 100_000 }
            #expect(try await broken.terminate().exitCode == 0)
            #expect(try await !app.bundlectl("history", "shop").contains("confirmed"))

            try await app.bundlectl("install", try await pages.pack("1.2.0", members: health, with: app))
            let working = try app.start("--update-interval", "0")
            try await pages.wait(for: "open=1.2.0")
            try await app.waitForScreen("the page") { try Self.coveredCount(on: app) == 0 }
            try await eventually("the confirmation", every: .milliseconds(50)) {
                try await app.bundlectl("history", "shop").contains("confirmed")
            }
            #expect(try await working.terminate().exitCode == 0)
        }
    }

    @Test("a right click opens a menu, but not in kiosk mode", .timeLimit(.minutes(5)), arguments: [false, true])
    func contextMenu(_ isKiosk: Bool) async throws {
        try await withTellingPages { app, pages in
            let shell = try isKiosk ? app.start("--fullscreen") : app.start()
            try await pages.wait(for: "open=1.0.0")
            let mouse = try Mouse(of: app.display)
            try await pages.wait(for: "click") { _ in try mouse.click(.left, x: 300, y: 300) }
            try await app.waitForScreen("the page") { try Self.coveredCount(on: app) == 0 }
            try mouse.click(.right, x: 300, y: 300)
            try await pages.wait(for: "contextmenu")
            if isKiosk {
                // The page sees these once WebKit has done with the right click, and has asked the shell for a menu.
                try await pages.wait(for: "mousemove") { turn in try mouse.move(x: 100 + turn % 2, y: 100) }
                #expect(try Self.coveredCount(on: app) == 0)
                try await pages.wait(for: "click") { _ in try mouse.click(.left, x: 100, y: 100) }
                #expect(try Self.coveredCount(on: app) == 0)
            } else {
                try await app.waitForScreen("the menu") { try Self.coveredCount(on: app) > 5_000 }
                try app.keepScreen(as: "6-menu.xwd")
            }
            #expect(try await shell.terminate().exitCode == 0)
        }
    }

    @Test("the offline badge is there while the origin isn't", .timeLimit(.minutes(5)), arguments: [false, true])
    func badge(_ isKiosk: Bool) async throws {
        let asking = "setInterval(() => fetch('ping', { cache: 'no-store' }).catch(() => {}), 200)"
        try await withTellingPages(script: asking) { app, pages in
            let shell = try isKiosk ? app.start("--fullscreen") : app.start()
            try await pages.wait(for: "open=1.0.0")
            #expect(try app.notices(.offline) == 0)
            for round in 1...2 {
                await pages.origin.stop()
                try await app.waitForScreen("the badge") { try app.notices(.offline) > 500 }
                if round == 1 {
                    let name = "7-badge\(isKiosk ? "-kiosk" : "").xwd"
                    try app.keepScreen(as: name)
                }
                try await pages.origin.start()
                try await app.waitForScreen("the badge's end") { try app.notices(.offline) == 0 }
            }
            #expect(try await shell.terminate().exitCode == 0)
        }
    }

    // A session of WebDriver ends with that process.
    @Test("a mapped origin stays trusted when WebKit's network process has ended", .timeLimit(.minutes(5)))
    func networkProcess() async throws {
        try await withTemporaryDirectory { folder in
            let app = try await ShellApp(in: folder)
            try await app.install(try Self.page("1.0.0", colour: 0x2060a0, in: folder))
            let shell = try app.start("--fullscreen", "--update-interval", "0")
            try await app.waitForScreen("the page") { try Self.count(of: 0x2060a0, on: app) > 100_000 }
            #expect(try app.networkProcesses().count == 1)
            for process in try app.networkProcesses() { kill(process, SIGKILL) }
            try await eventually("its end", every: .milliseconds(50)) { try app.networkProcesses().isEmpty }
            // The window reloads for the update, over a restarted network process.
            try await app.install(try Self.page("1.1.0", colour: 0xa06020, in: folder))
            try await app.waitForScreen("the update's page") { try Self.count(of: 0xa06020, on: app) > 100_000 }
            #expect(try await shell.terminate().exitCode == 0)
            try await app.display.end()
        }
    }

    /// A release of one page in one colour, at an origin with TLS.
    private static func page(_ version: String, colour: Int, in folder: TemporaryDirectory) throws -> String {
        let style = "background: #" + String(colour, radix: 16)
        let files = [
            "index.html": "<!doctype html><title>\(version)</title><body style='\(style)'>",
            "bundle.json":
                #"{"name": "shop", "version": "\#(version)", "origins": [{"url": "https://shop.example/", "path": "/"}]}"#,
        ]
        return try folder.write(tree: files, to: "page-\(version)")
    }

    private static func count(of colour: ScreenPicture.Color, on app: ShellApp) throws -> Int {
        let picture = try ScreenPicture(of: app.display)
        return picture.count(of: colour, x: 0..<picture.width, y: 0..<picture.height)
    }

    /// How much of the page, where it has nothing but its background, is something else.
    private static func coveredCount(on app: ShellApp) throws -> Int {
        let (columns, rows) = (200..<800, 200..<600)
        let picture = try ScreenPicture(of: app.display)
        return columns.count * rows.count - picture.count(of: TellingPages.background, x: columns, y: rows)
    }
}
