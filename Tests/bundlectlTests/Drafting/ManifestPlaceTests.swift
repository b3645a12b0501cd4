import BundleTesting
import Testing

@testable import BundlePublishing
@testable import bundlectl

/// Where `init` writes a manifest.
struct ManifestPlaceTests {
    private typealias Row = (
        tree: [String: String], folder: String, path: String, copy: String?, isElsewhere: Bool
    )

    private static func package(_ names: String...) -> String {
        "{\"devDependencies\": {\(names.map { "\"\($0)\": \"1\"" }.joined(separator: ", "))}}"
    }

    private static let rows: [Row] = [
        // No project, or no folder that a build empties.
        (["dist/a": ""], "dist", "dist/bundle.json", nil, false),
        (["package.json": "{}", "pages/a": ""], "pages", "pages/bundle.json", nil, false),
        (["package.json": "{", "dist/a": ""], "dist", "dist/bundle.json", nil, false),
        // Nothing is copied.
        (["package.json": "{}", "dist/a": ""], "dist", "bundle.json", nil, true),
        (["package.json": "[]", "dist/a": ""], "dist", "bundle.json", nil, true),
        (["package.json": #"{"dependencies": 1}"#, "build/a": ""], "build", "bundle.json", nil, true),
        (["package.json": package("vite"), "dist/a": ""], "dist", "bundle.json", nil, true),
        (["package.json": package("vite"), "public": "a file", "dist/a": ""], "dist", "bundle.json", nil, true),
        (["package.json": package("esbuild"), "public/a": "", "dist/a": ""], "dist", "bundle.json", nil, true),
        // Something is.
        (
            ["package.json": package("vite"), "public/a": "", "dist/a": ""], "dist",
            "public/bundle.json", "dist/bundle.json", false
        ),
        (
            ["package.json": package("react-scripts"), "public/a": "", "build/a": ""], "build",
            "public/bundle.json", "build/bundle.json", false
        ),
        (
            ["package.json": package("vite", "@sveltejs/kit"), "static/a": "", "public/a": "", "build/a": ""], "build",
            "static/bundle.json", "build/bundle.json", false
        ),
        (
            ["package.json": package("gatsby"), "static/a": "", "public/a": ""], "public",
            "static/bundle.json", "public/bundle.json", false
        ),
        // The source itself.
        (["package.json": package("vite"), "public/a": ""], "public", "public/bundle.json", nil, false),
        // The path as it was given.
        (["package.json": "{}", "dist/a": ""], "dist/.", "dist/./../bundle.json", nil, true),
        (["package.json": "{}", "dist/a": ""], "dist/", "bundle.json", nil, true),
    ]

    @Test(arguments: rows.indices)
    func `is where the next build doesn't remove it`(row: Int) async throws {
        let row = Self.rows[row]
        try await withTemporaryDirectory { directory in
            let project = try directory.write(tree: row.tree, to: "project")
            let place = try BuildFolder("\(project)/\(row.folder)").manifestPlace
            #expect(place.path == "\(project)/\(row.path)")
            #expect(place.copy == row.copy.map { "\(project)/\($0)" })
            #expect(place.isElsewhere == row.isElsewhere)
        }
    }

    @Test(arguments: [("dist", "bundle.json"), (".", "./../bundle.json"), ("a/dist", "a/bundle.json")])
    func `beside a folder it is named from the working folder`(folder: String, path: String) {
        #expect(ManifestPlace(ofBuild: folder, using: []) { _ in true }.path == path)
    }
}
