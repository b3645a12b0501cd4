import BundleTesting
import Foundation

/// What tests of the project's own pages look at.
extension Browser {
    private static let axePath = Project.path(".build/axe/axe.min.js")

    /// Whether axe-core is there; `scripts/fetch-axe` downloads it.
    static var hasAxe: Bool { FileManager.default.fileExists(atPath: axePath) }

    /// What axe-core finds wrong with the page, one line for each rule and element; empty without axe-core.
    func accessibilityViolations() async throws -> [String] {
        guard Self.hasAxe else { return [] }
        let axe = try String(contentsOfFile: Self.axePath, encoding: .utf8)
        let result = try await execute(
            """
            \(axe); window.axe = axe;
            const { violations } = await axe.run();
            return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id} (${help}): ${html}`));
            """
        )
        return (result.array ?? []).compactMap(\.string)
    }

    /// Whether the page is wider than the window.
    func scrollsSideways() async throws -> Bool {
        try await execute("return document.documentElement.scrollWidth > document.documentElement.clientWidth") == true
    }

    /// Keeps a picture for people in the folder that an environment variable names, if it does.
    func keepPicture(_ name: String, in variable: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment[variable] else { return }
        try await screenshot().write(to: URL(fileURLWithPath: "\(folder)/\(name).png"))
    }
}
