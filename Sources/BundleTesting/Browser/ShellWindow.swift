import Foundation

/// The window of a real `hybrid-shell`, driven over WebDriver.
///
/// It needs the shell, which `scripts/test` builds, Xvfb and WebKitWebDriver; see ``canRun``.
package final class ShellWindow: Sendable {
    /// What the driver has said when no session came about.
    package struct Failure: Error {
        package let output: String
    }

    package static let program = BuiltProducts.directory.appendingPathComponent("hybrid-shell").path

    /// Whether there is everything to run it.
    package static var canRun: Bool {
        let tools = ["/usr/bin/Xvfb", "/usr/bin/WebKitWebDriver", program]
        return tools.allSatisfy(FileManager.default.isExecutableFile)
    }

    /// What is in the window.
    package let browser: Browser

    /// Starts the shell.
    ///
    /// - Parameters:
    ///   - arguments: Those of the shell.
    ///   - environment: The whole environment; see ``environment(_:home:)``.
    package init(_ arguments: [String], environment: [String: String]) async throws {
        let port = try ReservedPort()
        let driver = try ChildProcess("WebKitWebDriver", ["--port=\(port.number)"], environment: environment)
        let options = (arguments + ["--automation"]).map { AnyJSON.string($0) }
        let capabilities: AnyJSON = [
            "timeouts": ["script": 60_000, "pageLoad": 60_000],
            "webkitgtk:browserOptions": ["binary": .string(Self.program), "args": .array(options)],
        ]
        browser = try await Self.session(driver, port, capabilities)
    }

    /// The environment of a program on a screen, whose files are in a folder.
    package static func environment(_ display: Display, home: String) -> [String: String] {
        let own = ["DISPLAY": display.name, "HOME": home, "TMPDIR": home, "GDK_BACKEND": "x11"]
        return ProcessInfo.processInfo.environment.merging(own) { $1 }
    }

    private static func session(_ driver: ChildProcess, _ port: ReservedPort, _ capabilities: AnyJSON) async throws
        -> Browser
    {
        var browser: Browser?
        // The driver doesn't say when it listens.
        try await eventually("WebKitWebDriver's port", every: .milliseconds(50)) {
            do {
                browser = try await Browser(driver: driver, port: port, capabilities: capabilities)
            } catch is WebDriverError {
                throw Failure(output: driver.output)
            } catch {}
            return browser != nil
        }
        guard let browser else { throw Failure(output: driver.output) }
        return browser
    }
}

/// A screen in memory, for programs that need one.
package struct Display: Sendable {
    /// For `DISPLAY`.
    package let name: String
    /// The file of the whole screen, as xwd writes it.
    package let picture: String
    private let server: ChildProcess

    /// Starts it; its files are in a folder.
    package init(in folder: TemporaryDirectory) async throws {
        server = try ChildProcess(
            "Xvfb",
            ["-displayfd", "1", "-screen", "0", "1100x820x24", "-fbdir", folder.path, "-nolisten", "tcp"]
        )
        name = ":" + (try await server.waitForLine { Int($0) != nil })
        picture = folder.path(of: "Xvfb_screen0")
    }

    /// Ends it.
    package func end() async throws {
        _ = try await server.terminate()
    }
}
