import BundleTesting
import Foundation
import Testing

/// The real window in a network of its own, which has one interface.
@Suite(
    "The shell and the machine's link",
    .serialized,
    .enabled(if: ShellWindow.canRun && PrivateNetwork.isPossible, "needs the shell, and namespaces of networks")
)
struct LinkWindowTests {
    @Test("the badge is there while the link isn't, though no page asks for anything", .timeLimit(.minutes(5)))
    func flightMode() async throws {
        try await withTemporaryDirectory { folder in
            let app = try await ShellApp(in: folder)
            try folder.write("<!doctype html><title>Shop</title><h1>Shop</h1>", to: "shop/index.html")
            let mapping = #"[{"url": "https://shop.example/", "path": "/"}]"#
            try folder.write(#"{"name": "shop", "version": "1.0.0", "origins": \#(mapping)}"#, to: "shop/bundle.json")
            try await app.install(folder.path(of: "shop"))
            let arguments = app.arguments + ["--fullscreen", "--update-interval", "0"]
            let network = try PrivateNetwork([ShellWindow.program] + arguments, in: folder, app.environment)
            try await app.waitForScreen("the page") { try app.whiteCount() > 100_000 }
            #expect(try app.notices(.offline) == 0)
            for _ in 1...2 {
                try network.setLink("down")
                try await app.waitForScreen("the badge") { try app.notices(.offline) > 500 }
                try network.setLink("up")
                try await app.waitForScreen("the badge's end") { try app.notices(.offline) == 0 }
            }
            network.end()
            try await app.display.end()
        }
    }
}

extension ShellApp {
    fileprivate func whiteCount() throws -> Int {
        try ScreenPicture(of: display).count(of: 0xffffff, x: 0..<800, y: 200..<600)
    }
}
