import BundleTesting
import Foundation
import Testing

/// The real `hybrid-shell`, with a store and a screen of its own.
struct ShellApp {
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

    var environment: [String: String] { ShellWindow.environment(display, home: folder.path) }

    /// Starts it as a user would.
    func start(_ options: String...) throws -> ChildProcess {
        try ChildProcess(ShellWindow.program, arguments + options, environment: environment)
    }

    /// Has WebDriver start it.
    func drive(_ options: String..., body: (Browser) async throws -> Void) async throws {
        let browser = try await ShellWindow(arguments + options, environment: environment).browser
        try await withCleanup {
            try await body(browser)
        } cleanUp: {
            await browser.quit()
        }
    }

    /// The processes of WebKit that reach the network for the window, without those that have ended.
    func networkProcesses() throws -> [Int32] {
        let home = "HOME=\(folder.path)"
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { process in
            // Others end meanwhile.
            guard let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8),
                name.hasPrefix("WebKitNetwork"),
                let environment = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/environ"))
            else { return false }
            return environment.split(separator: 0).contains { $0.elementsEqual(home.utf8) }
        }
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
        try FileManager.default.copyItem(atPath: Project.path("bundles/shop/\(version)"), toPath: release)
        let manifest = try String(contentsOfFile: release + "/bundle.json", encoding: .utf8)
        try folder.write(manifest.replacing("https://shop.example", with: origin), to: "release-\(version)/bundle.json")
        for (path, text) in files { try folder.write(text, to: "release-\(version)/\(path)") }
        return release
    }

    /// What the window shows above the page, by the colour of its background in the shell's style.
    enum Notice: ScreenPicture.Color {
        case offline = 0x9a3b00
        case update = 0x1a5fb4
    }

    /// How many pixels of a notice are on the screen, where notices are: at the left of the window's lower end.
    func notices(_ notice: Notice) throws -> Int {
        try ScreenPicture(of: display).count(of: notice.rawValue, x: 0..<500, y: 640..<820)
    }

    /// Looks at the screen until it is as expected; the X server doesn't tell when it changes.
    func waitForScreen(_ what: String, _ isThere: () throws -> Bool) async throws {
        try await eventually("\(what) on the screen", every: .milliseconds(50), isThere)
    }

    /// Keeps a picture of the whole screen, see ``keep(_:as:)``.
    func keepScreen(as name: String) throws {
        try keep(try Data(contentsOf: URL(fileURLWithPath: display.picture)), as: name)
    }

    /// Keeps a picture, for people, where SHELL_SCREENSHOTS says.
    func keep(_ picture: Data, as name: String) throws {
        #expect(picture.starts(with: [0x89, 0x50, 0x4e, 0x47]) || name.hasSuffix("xwd"))
        #expect(picture.count > 10_000, "an empty page is smaller")
        guard let target = ProcessInfo.processInfo.environment["SHELL_SCREENSHOTS"] else { return }
        try picture.write(to: URL(fileURLWithPath: target).appendingPathComponent(name))
    }
}
