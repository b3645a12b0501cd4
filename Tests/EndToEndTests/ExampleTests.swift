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

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: program), "scripts/test builds it"))
    func `the app seeds, resolves, loads from all layers, updates, and has a session that loads in the same way`() async throws {
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
                    origins that are out: []

                    """
            )
        }
    }
}
