import BundleTesting
import Foundation
import Testing

/// README's way from a build to a page, line by line, with a build of a real bundler and a real browser.
@Suite(
    "From a build to a page",
    .enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests")
)
struct FirstPageTests {
    @Test func `README's lines lead to a page, and to its next release`() async throws {
        let lines = try Self.lines()
        #expect(lines.count == 10)
        try await withTemporaryDirectory { directory in
            let site = try directory.write(tree: ["releases/.keep": ""], to: "site")
            try await withOriginServer(files: OriginFiles(folder: site)) { origin in
                let app = try await BuiltApp(in: directory)
                try await app.build(saying: "the first release")
                let shell = ReadmeShell(
                    app: app.folder,
                    site: site,
                    origin: origin.baseURL,
                    store: directory.path(of: "store")
                )
                try await shell.run(lines[0])
                try await shell.serving(lines[1]) { address in
                    try await expect("the first release", at: Bundlectl.own("shop", address))
                }
                for line in lines[2...5] { try await shell.run(line) }
                try await shell.run("bundlectl trust show shop")
                try await shell.serving(lines[6]) { address in
                    try await withBrowser { browser in
                        try await expect("the first release", at: "\(address)/", in: browser)
                        try await expect("the first release", at: "\(address)/a/route/of/the/page", in: browser)
                        try await app.build(saying: "the second release")
                        for line in lines[7...9] { try await shell.run(line) }
                        try await expect("the second release", at: "\(address)/", in: browser)
                        #expect(try await browser.execute(Self.fetchedParts).array == [])
                        #expect(try await browser.networkEvents().filter(\.isFailure) == [])
                        #expect(try await browser.consoleMessages().filter(\.isError) == [])
                    }
                }
            }
        }
    }

    /// The parts that haven't changed, as far as the page has fetched them again.
    private static let fetchedParts = """
        return performance.getEntriesByType('resource')
            .filter((entry) => entry.name.includes('/assets/part-') && entry.transferSize > 0).map((entry) => entry.name)
        """

    private func expect(_ text: String, at url: String) async throws {
        try await withBrowser { try await expect(text, at: url, in: $0) }
    }

    private func expect(_ text: String, at url: String, in browser: Browser) async throws {
        try await browser.navigate(to: url)
        try await browser.wait(until: "document.documentElement.dataset.ready === 'true'")
        #expect(try await browser.execute("return document.querySelector('h1').textContent").string == text)
    }

    /// The command lines of README's section, without their comments.
    private static func lines() throws -> [String] {
        let readme = String(decoding: try Project.contents("README.md"), as: UTF8.self)
        let section = readme.components(separatedBy: "\n## From a build to a page\n")[1].components(
            separatedBy: "\n## "
        )[0]
        return section.split(separator: "\n").filter { $0.hasPrefix("bundlectl ") }.map { line in
            line.components(separatedBy: "  #")[0].trimmingCharacters(in: .whitespaces)
        }
    }
}
