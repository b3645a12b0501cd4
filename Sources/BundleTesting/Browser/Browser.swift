import BundleStore
import BundleTransport
import Foundation
import HTTPCore
import HTTPTypes

/// Headless Chromium, driven over WebDriver: opens pages as a user's browser would and reports what happened to them.
///
/// Made by ``withBrowser(arguments:isolation:_:)``. It needs `chromium` and `chromedriver`; see ``isInstalled``. Each browser has
/// a home folder of its own, so it starts with an empty cache and leaves nothing behind. Safe to use from any number of
/// tasks, though a page does one thing at a time.
package final class Browser: Sendable {
    private let driver: ChildProcess
    private let port: ReservedPort
    private let connection: WebDriverConnection
    private let session: String
    private let performanceEntries = Monitor<[AnyJSON]>([])
    private let consoleEntries = Monitor<[AnyJSON]>([])

    private static let programs = ["/usr/bin/chromium", "/usr/bin/chromedriver"]

    /// True when both programs are installed.
    package static var isInstalled: Bool {
        programs.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts the driver and a browser, which keep their profile and their temporary files in `home`. The browser gets
    /// `arguments` besides its own.
    convenience init(home: String, arguments: [String] = []) async throws {
        let environment = ProcessInfo.processInfo.environment.merging(["HOME": home, "TMPDIR": home]) { $1 }
        // Asked for any port, the driver takes one that is free for IPv6, and ends if that isn't free for IPv4.
        let port = try ReservedPort()
        let driver = try ChildProcess(Browser.programs[1], ["--port=\(port.number)"], environment: environment)
        _ = try await driver.waitForLine(containing: "started successfully on port")
        try await self.init(driver: driver, port: port, capabilities: Browser.capabilities(arguments))
    }

    /// Begins a session at a driver that listens on `port` of 127.0.0.1.
    init(driver: ChildProcess, port: ReservedPort, capabilities: AnyJSON) async throws {
        (self.driver, self.port) = (driver, port)
        connection = WebDriverConnection(port: port.number)
        let response = try await connection.send(.post, "/session", ["capabilities": ["alwaysMatch": capabilities]])
        guard let session = response["sessionId"]?.string else {
            throw WebDriverError(command: "POST /session", message: "no session id")
        }
        self.session = "/session/\(session)"
    }

    private static func capabilities(_ arguments: [String]) -> AnyJSON {
        let proxy = arguments.contains { $0.hasPrefix("--proxy-server") } ? [] : ["--no-proxy-server"]
        let always = [
            "--headless=new", "--disable-gpu", "--no-first-run",
            // Containers: their users may not be able to make a sandbox, and their /dev/shm is too small for pages.
            "--no-sandbox", "--disable-dev-shm-usage",
            // Only the page's own requests go over the network.
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
        ]
        return [
            "browserName": "chrome",
            "timeouts": ["script": 60_000, "pageLoad": 60_000],
            "goog:loggingPrefs": ["browser": "ALL", "performance": "ALL"],
            "goog:chromeOptions": [
                "binary": .string(programs[0]),
                "args": .array((always + proxy + arguments).map(AnyJSON.string)),
            ],
        ]
    }

    /// Opens `url` and returns when its `load` event has been handled.
    ///
    /// - Throws: ``WebDriverError``, for example when the page can't be reached.
    package func navigate(to url: String) async throws {
        _ = try await connection.send(.post, "\(session)/url", ["url": .string(url)])
    }

    /// Gives pages a width and a height in CSS pixels, and light or dark colours, until the browser is closed.
    ///
    /// - Throws: ``WebDriverError``.
    package func emulate(width: Int, height: Int, isDark: Bool) async throws {
        let size: AnyJSON = [
            "width": .number(Double(width)), "height": .number(Double(height)), "deviceScaleFactor": 1, "mobile": false,
        ]
        let scheme: AnyJSON = ["name": "prefers-color-scheme", "value": .string(isDark ? "dark" : "light")]
        try await control("Emulation.setDeviceMetricsOverride", size)
        try await control("Emulation.setEmulatedMedia", ["features": .array([scheme])])
    }

    /// Runs a command of the DevTools protocol.
    private func control(_ command: String, _ parameters: AnyJSON) async throws {
        let path = "\(session)/goog/cdp/execute"
        _ = try await connection.send(.post, path, ["cmd": .string(command), "params": parameters])
    }

    /// Runs the body of a JavaScript function in the page and returns what it returns. A promise is awaited.
    ///
    /// - Throws: ``WebDriverError`` with the exception's text when it throws.
    @discardableResult
    package func execute(_ script: String) async throws -> AnyJSON {
        try await connection.send(.post, "\(session)/execute/sync", ["script": .string(script), "args": []])
    }

    /// Presses a key and lets it go, as with the keyboard.
    ///
    /// - Throws: ``WebDriverError``.
    package func press(_ key: Key) async throws {
        let value = AnyJSON.string(key.rawValue)
        let presses: AnyJSON = [["type": "keyDown", "value": value], ["type": "keyUp", "value": value]]
        let source: AnyJSON = ["type": "key", "id": "keyboard", "actions": presses]
        _ = try await connection.send(.post, "\(session)/actions", ["actions": [source]])
    }

    /// A key, by the character that stands for it (W3C WebDriver §17.4.2).
    package enum Key: String, Sendable {
        case tab = "\u{E004}"
        case enter = "\u{E007}"
        case escape = "\u{E00C}"
    }

    /// Waits inside the page until a JavaScript expression is true; it is evaluated before each frame.
    ///
    /// - Throws: ``WebDriverError`` when it throws, or isn't true after 60 seconds.
    package func wait(until expression: String) async throws {
        let script = """
            return new Promise((resolve, reject) => {
                const look = () => {
                    try {
                        if (\(expression)) resolve(true); else requestAnimationFrame(look);
                    } catch (error) {
                        reject(error);
                    }
                };
                look();
            });
            """
        do {
            try await execute(script)
        } catch let error as WebDriverError {
            throw WebDriverError(command: error.command, message: "\(expression): \(error.message)")
        }
    }

    /// Everything that was written to the console since the browser started, oldest first, including failed requests.
    ///
    /// - Throws: ``WebDriverError``.
    package func consoleMessages() async throws -> [ConsoleMessage] {
        try await collect("browser", into: consoleEntries).compactMap(ConsoleMessage.init)
    }

    /// How every request ended since the browser started, oldest first. One that gets a response and then breaks off is
    /// listed twice.
    ///
    /// - Throws: ``WebDriverError``.
    package func networkEvents() async throws -> [NetworkEvent] {
        PerformanceLog.networkEvents(in: try await collect("performance", into: performanceEntries))
    }

    /// The responses since the browser started, oldest first, with their fields. Media elements ask for several parts.
    ///
    /// - Throws: ``WebDriverError``.
    package func responses() async throws -> [BrowserResponse] {
        try await collect("performance", into: performanceEntries).compactMap { entry in
            PerformanceLog.message(of: entry).flatMap(BrowserResponse.init)
        }
    }

    /// The visible part of the page as a PNG.
    ///
    /// - Throws: ``WebDriverError``.
    package func screenshot() async throws -> Data {
        // The second frame begins when the first one has been drawn.
        try await execute("for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame)")
        let response = try await connection.send(.get, "\(session)/screenshot")
        guard let image = response.string.flatMap({ Data(base64Encoded: $0) }) else {
            throw WebDriverError(command: "GET screenshot", message: "no image")
        }
        return image
    }

    /// Goes back, as with the browser's button, and returns when the page is there.
    ///
    /// - Throws: ``WebDriverError``.
    package func goBack() async throws {
        _ = try await connection.send(.post, "\(session)/back", [:])
    }

    /// Goes forward.
    ///
    /// - Throws: ``WebDriverError``.
    package func goForward() async throws {
        _ = try await connection.send(.post, "\(session)/forward", [:])
    }

    /// Closes the browser, then the driver, and returns when both have ended.
    package func quit() async {
        // Errors are ignored: the driver is killed with its last reference.
        _ = try? await connection.send(.delete, session)
        _ = try? await driver.terminate()
    }

    /// The driver returns each entry once; all are kept, so that every call returns the whole log.
    private func collect(_ log: String, into entries: Monitor<[AnyJSON]>) async throws -> [AnyJSON] {
        let new = try await connection.send(.post, "\(session)/se/log", ["type": .string(log)]).array ?? []
        return entries.update { all in
            all += new
            return all
        }
    }
}

/// Starts a browser, passes it to `body`, and closes it, whatever `body` did.
///
/// - Parameters:
///   - arguments: Of Chromium's command line, such as `--proxy-server=…`; without that no proxy is used.
///   - body: What uses the browser.
/// - Throws: ``ChildProcessError`` or ``DeadlineExceeded`` when the driver doesn't start, ``WebDriverError`` when the
///   browser doesn't, and what `body` throws.
package func withBrowser<Result>(
    arguments: [String] = [],
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Browser) async throws -> Result
) async throws -> Result {
    try await withTemporaryDirectory { home in
        let browser = try await Browser(home: home.path, arguments: arguments)
        return try await withCleanup {
            try await body(browser)
        } cleanUp: {
            await browser.quit()
        }
    }
}

/// Commands to a driver over HTTP (W3C WebDriver, section 6).
struct WebDriverConnection: Sendable {
    /// The driver's port on 127.0.0.1.
    let port: Int

    /// Screenshots and logs of large pages arrive as one JSON text.
    private static let maximumResponseLength = 64 << 20
    /// The page's own limits, set in the session, are shorter.
    private static let transport = NIOTransport(firstByteTimeout: .seconds(180))

    /// Sends a command and returns the `value` of its response.
    ///
    /// - Throws: ``WebDriverError`` when the driver responds with an error or with something that isn't its JSON;
    ///   `BundleError` when it can't be reached, or its response is too long.
    func send(_ method: HTTPRequest.Method, _ path: String, _ body: AnyJSON? = nil) async throws -> AnyJSON {
        var call = OriginCall(HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path))
        if let body {
            let content = [UInt8](try JSONEncoder().encode(body))
            call.request.headerFields[.contentType] = "application/json; charset=utf-8"
            call.request.headerFields[.contentLength] = String(content.count)
            call.content = BodyStream(content)
        }
        // What the browser is told names the step of the test.
        let told = (body?["script"] ?? body?["url"])?.string?.split(whereSeparator: \.isNewline).first ?? ""
        let command = "\(method) \(path) \(told.prefix(120))"
        let (head, data): (HTTPResponse, [UInt8])
        do {
            (head, data) = try await Self.transport.response(to: call, atMost: Self.maximumResponseLength)
        } catch let error as BundleError {
            throw error.located(at: "WebDriver \(command)")
        }
        let document = try? JSONDecoder().decode(AnyJSON.self, from: Data(data))
        guard head.status == .ok, let value = document?["value"] else {
            let message = document?["value"]?["message"]?.string ?? String(decoding: data, as: UTF8.self)
            let firstLine = String(message.prefix { !$0.isNewline })
            throw WebDriverError(command: command, message: firstLine)
        }
        return value
    }
}

/// The browser or its driver refused a command.
package struct WebDriverError: Error, CustomStringConvertible {
    /// The command, for example `POST /session/1/url http://localhost/`.
    package let command: String
    /// The driver's message.
    package let message: String

    /// One line for the test's report.
    package var description: String { "WebDriver \(command): \(message)" }
}
