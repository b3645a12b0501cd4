import BundleTesting
import Foundation
import Testing

/// The real `hybrid-shell`, with a store and a screen of its own.
struct ShellApp {
    /// It is built with the trait, and so not beside the other programs: `scripts/test` says where.
    static let program =
        BuiltProducts.directory.appendingPathComponent("../../shell/debug/hybrid-shell").standardized.path

    /// Whether there is everything to run it.
    static var canRun: Bool {
        let tools = ["/usr/bin/Xvfb", "/usr/bin/WebKitWebDriver", program]
        return tools.allSatisfy(FileManager.default.isExecutableFile)
    }

    let folder: TemporaryDirectory
    let display: Display

    init(in folder: TemporaryDirectory) async throws {
        self.folder = folder
        display = try await Display(in: folder)
    }

    var store: String { folder.path(of: "store") }

    var arguments: [String] {
        [
            "--store", store, "shop", "--data", folder.path(of: "data"), "--downloads", folder.path(of: "downloads"),
        ]
    }

    var environment: [String: String] {
        let own = ["DISPLAY": display.name, "HOME": folder.path, "TMPDIR": folder.path, "GDK_BACKEND": "x11"]
        return ProcessInfo.processInfo.environment.merging(own) { $1 }
    }

    /// Starts it as a user would.
    func start(_ options: String...) throws -> ChildProcess {
        try ChildProcess(Self.program, arguments + options, environment: environment)
    }

    /// Has WebDriver start it.
    func drive(_ options: String..., body: (Browser) async throws -> Void) async throws {
        let port = try Self.freePort()
        let driver = try ChildProcess("WebKitWebDriver", ["--port=\(port)"], environment: environment)
        let options = arguments + ["--automation"] + options
        let browser = try await session(driver, port, options.map { .string($0) })
        do {
            try await body(browser)
            await browser.quit()
        } catch {
            await browser.quit()
            throw error
        }
    }

    private func session(_ driver: ChildProcess, _ port: Int, _ arguments: [JSONValue]) async throws -> Browser {
        let program = JSONValue.string(Self.program)
        let capabilities: JSONValue = [
            "timeouts": ["script": 60_000, "pageLoad": 60_000],
            "webkitgtk:browserOptions": ["binary": program, "args": .array(arguments)],
        ]
        // The driver doesn't say when it listens.
        for _ in 0..<100 {
            do {
                return try await Browser(driver: driver, port: port, capabilities: capabilities)
            } catch is WebDriverError {
                throw WebDriverFailure(output: driver.output)
            } catch { try await Task.sleep(for: .milliseconds(50)) }
        }
        throw WebDriverFailure(output: driver.output)
    }

    struct WebDriverFailure: Error {
        let output: String
    }

    /// Packs a folder and installs it.
    func install(_ release: String) async throws {
        let archive = folder.path(of: UUID().uuidString + ".zip")
        try await bundlectl("pack", release, archive)
        try await bundlectl("install", archive)
    }

    @discardableResult
    func bundlectl(_ arguments: String...) async throws -> String {
        var environment = environment
        environment["BUNDLECTL_STORE"] = store
        let result = try await ChildProcess.run(
            BuiltProducts.path(of: "bundlectl"),
            arguments,
            environment: environment
        )
        try #require(result.exitCode == 0, "\(result.output)\(result.errorOutput)")
        return result.output
    }

    /// A copy of a release of the sample shop, at another origin if one is given.
    func shop(_ version: String, origin: String = "https://shop.example", adding files: [String: String] = [:]) throws
        -> String
    {
        let release = folder.path(of: "release-\(version)")
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        try FileManager.default.copyItem(atPath: root.path + "/bundles/shop/\(version)", toPath: release)
        let manifest = try String(contentsOfFile: release + "/bundle.json", encoding: .utf8)
        try folder.write(manifest.replacing("https://shop.example", with: origin), to: "release-\(version)/bundle.json")
        for (path, text) in files { try folder.write(text, to: "release-\(version)/\(path)") }
        return release
    }

    /// Keeps a picture, for people, where SHELL_SCREENSHOTS says.
    func keep(_ picture: Data, as name: String) throws {
        #expect(picture.starts(with: [0x89, 0x50, 0x4e, 0x47]) || name.hasSuffix("xwd"))
        #expect(picture.count > 10_000, "an empty page is smaller")
        guard let target = ProcessInfo.processInfo.environment["SHELL_SCREENSHOTS"] else { return }
        try picture.write(to: URL(fileURLWithPath: target).appendingPathComponent(name))
    }

    private static func freePort() throws -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && getsockname(socket, address, &length) == 0
            }
        }
        try #require(isBound)
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
