import BundleTesting
import Foundation
import Testing

/// `Tests/Example`, an app that sees the products alone.
struct ExampleTests {
    private static let source = "Tests/Example/Sources/Example/main.swift"
    private static var program: String { BuiltProducts.path(of: "Example") }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Project.contents(path), as: UTF8.self)
    }

    @Test func `README's example is the text of the app`() throws {
        let parts = try Self.text(Self.source).components(separatedBy: "// ----\n")
        try #require(parts.count == 3)
        let lines = parts[1].split(separator: "\n")
        #expect((9...12).contains(lines.count), "it fits into a dozen lines")
        let readme = try Self.text("README.md")
        #expect(readme.contains("```swift\nimport OfflineBundles\n\n\(parts[1])```\n"))
        #expect(!parts[0].contains("@"), "it imports nothing as a test does")
    }

    @Test func `the code of the article “From Swift” on the app's last resort is that of the app that is compiled`()
        throws
    {
        let article = try Self.text("Sources/OfflineBundles/OfflineBundles.docc/Articles/FromSwift.md")
        let parts = try Self.text("Tests/Example/Sources/Example/LastResort.swift").components(separatedBy: "// ----\n")
        try #require(parts.count == 3)
        #expect(article.contains("```swift\n\(parts[1])```\n"))
    }

    @Test func `the code of the article on an iOS app is that of the app that is compiled`() throws {
        let article = try Self.text("Sources/OfflineBundles/OfflineBundles.docc/Articles/IOSApp.md")
        let app = try Self.text("Tests/AppleApp/Sources/ShopApp.swift")
        #expect(article.contains("```swift\n\(app)```\n"))
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: program), "scripts/test builds it"))
    func `the app seeds, resolves, loads from all layers, updates, and has a session that loads in the same way`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            for version in ["1.0.0", "1.1.0"] { try await publisher.publish(version, with: bundlectl) }
            let app = try await ChildProcess.run(
                Self.program,
                [publisher.directory.path(of: "app"), publisher.archive("1.0.0"), publisher.origin]
            )
            #expect(app.exitCode == 0, "\(app.errorOutput)")
            let page = try Project.contents("bundles/shop/1.0.0/index.html").count
            let next = try Project.contents("bundles/shop/1.1.0/index.html").count
            let stock = try Project.contents("bundles/shop/origin/api/stock.json").count
            #expect(
                app.output == """
                    resolved index.html: text/html; charset=utf-8, \(page) bytes
                    loaded \(page) bytes
                    stock: 200 from network, \(stock) bytes
                    updated shop to 1.1.0
                    /shop/: 200 from active 1.1.0
                    /shop/api/stock.json: 200 from network 1.1.0
                    /shop/api/stock.json: 200 from cache 1.1.0
                    session: 200, \(next) bytes
                    200 OK: image/gif, 42 bytes
                    origins that are out: []

                    """
            )
        }
    }

    private static let tutorial = "Tests/Example/Sources/Tutorial"
    private static let pages = "Sources/OfflineBundles/OfflineBundles.docc"
    private static var tutorialProgram: String { BuiltProducts.path(of: "Tutorial") }

    @Test func `the tutorial's last steps are the text of its app, and each step is a part of the next one`() throws {
        let page = try Self.text("\(Self.pages)/Tutorial/OfflineInTenMinutes.tutorial")
        let files = page.matches(of: /file: "(Shop-\d+\.swift)"/).map { String($0.output.1) }
        let steps = try files.map { try Self.text("\(Self.pages)/Resources/\($0)").split(separator: "\n") }
        #expect(files.count == 6)
        for (step, next) in zip(steps, steps.dropFirst()) {
            #expect(next.count > step.count && next.starts(with: step.dropLast()))
        }
        let last = try #require(files.last)
        #expect(try Self.text("\(Self.pages)/Resources/\(last)") == Self.text("\(Self.tutorial)/Shop.swift"))
        #expect(page.contains(#"file: "Shop-main.swift""#))
        #expect(try Self.text("\(Self.pages)/Resources/Shop-main.swift") == Self.text("\(Self.tutorial)/main.swift"))
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: tutorialProgram), "scripts/test builds it"))
    func `the tutorial's app shows a page with and without a network, and takes an update`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.0.0", with: bundlectl)
            let arguments = [publisher.directory.path(of: "app"), publisher.archive("1.0.0"), publisher.origin]
            let bytes = try Project.contents("bundles/shop/1.0.0/index.html").count
            let page = "\(bytes) bytes of text/html; charset=utf-8\nthe session has \(bytes) bytes\n"
            var run = try await ChildProcess.run(Self.tutorialProgram, arguments)
            #expect(run.output == page + "this is the latest version\n", "\(run.errorOutput)")
            try await publisher.publish("1.1.0", with: bundlectl)
            run = try await ChildProcess.run(Self.tutorialProgram, arguments)
            #expect(run.output == page + "there is a new version\n", "\(run.errorOutput)")
            try await publisher.stop()
            run = try await ChildProcess.run(Self.tutorialProgram, arguments)
            let next = try Project.contents("bundles/shop/1.1.0/index.html").count
            let last =
                "\(next) bytes of text/html; charset=utf-8\nthe session has \(next) bytes\nthis is the latest version\n"
            #expect(run.output == last, "\(run.errorOutput)")
        }
    }
}
