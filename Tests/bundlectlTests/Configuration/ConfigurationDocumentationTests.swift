import Foundation
import Testing

@testable import bundlectl

/// What the documentation says of the options of `serve`.
struct ConfigurationDocumentationTests {
    @Test func `the limits' defaults are those of Limits.md`() throws {
        let page = try Self.page("BundleServer/BundleServer.docc/Limits.md")
        let rows = page.matches(of: /\n\| `--([a-z-]+)` \| (.*) \|/)
        #expect(rows.map { String($0.1) } == LimitOptions.options.map(\.name))
        for (row, option) in zip(rows, LimitOptions.options) {
            // 16,384 and 60 s are how a page writes 16384 and 60s.
            let text = row.2.replacing(",", with: "").replacing(/([0-9]) s\b/) { "\($0.1)s" }
            let isOther = text.dropFirst(option.standard.count).first?.isLetter ?? false
            #expect(text.hasPrefix(option.standard) && !isOther, "\(option.name): \(row.2)")
        }
    }

    @Test func `what SIGHUP can change is what Configuration.md lists`() throws {
        let page = try Self.page("bundlectl/bundlectl.docc/Configuration.md")
        let table = try #require(page.split(separator: "| what can be changed | key |").last)
        let rows = table.split(separator: "\n\n")[0]
        let keys = rows.matches(of: /`(\w+)`/).map { String($0.1) }
        let changeable = ConfigurableOption.all.filter { ConfigurationReload.options.contains($0.name) }
        #expect(keys.sorted() == changeable.map(\.key).sorted())
    }

    private static func page(_ path: String) throws -> String {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return try String(contentsOf: root.appending(path: "Sources/\(path)"), encoding: .utf8)
    }
}
