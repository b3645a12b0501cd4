import BundleServing
import BundleStore
import BundleTesting
import Testing

@testable import BundlePublishing
@testable import bundlectl

@Suite("A folder of built pages")
struct BuildFolderTests {
    /// Files of a project that builds into `dist`, and what they say.
    private static let projects:
        [(tree: [String: String], name: String?, version: String?, entry: String?, isApp: Bool)] = [
            (["dist/index.html": "", "dist/a.js": ""], "project", nil, "index.html", true),
            (["dist/index.html": "", "dist/b.html": "", "dist/a.js": ""], "project", nil, "index.html", false),
            (["dist/index.html": ""], "project", nil, "index.html", false),
            (["dist/start.html": "", "dist/a/b.html": ""], "project", nil, "start.html", false),
            (["dist/a.html": "", "dist/b.html": ""], "project", nil, nil, false),
            (["dist/a/index.html": "", "dist/a.js": ""], "project", nil, nil, false),
            (
                ["dist/index.html": "", "dist/.x/b.html": "", "dist/node_modules/c.html": "", "dist/a.js": ""],
                "project", nil, "index.html", true
            ),
            (
                ["dist/index.html": "", "package.json": #"{"name": "@org/My App", "version": "2.1.0"}"#],
                "my-app", "2.1.0", "index.html", false
            ),
            (
                [
                    "dist/index.html": "", "dist/package.json": #"{"name": "inner"}"#,
                    "package.json": #"{"name": "outer"}"#,
                ],
                "inner", nil, "index.html", false
            ),
            (
                ["dist/index.html": "", "package.json": #"{"name": 1, "version": "new"}"#], "project", nil,
                "index.html", false
            ),
            (["dist/index.html": "", "package.json": "{"], "project", nil, "index.html", false),
        ]

    @Test("says what its bundle is", arguments: projects)
    func detection(
        _ project: (tree: [String: String], name: String?, version: String?, entry: String?, isApp: Bool)
    ) async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write(tree: project.tree, to: "project")
            let build = try BuildFolder(directory.path(of: "project/dist"))
            #expect(build.name?.string == project.name)
            #expect(build.version?.string == project.version)
            #expect(build.entry == project.entry)
            #expect(build.isSinglePageApp == project.isApp)
        }
    }

    @Test(
        "has a name that is the first label of its host",
        arguments: [
            ("@a/b", "b"), ("Shop", "shop"), ("_x", "x"), ("é", nil), ("", nil), ("a b", "a-b"),
            ("my site 🎉", "my-site"),
            ("docs_v2.0", "docs-v2-0"), ("-a-", "a"),
            (String(repeating: "a", count: 62) + "-b", String(repeating: "a", count: 62)),
        ]
    )
    func names(_ text: String, _ name: String?) {
        #expect(BuildFolder.bundleName(text)?.string == name)
        #expect(name == nil || BundleName(name ?? "").flatMap(HostLabel.label) == name)
    }

    @Test("is refused when it isn't there")
    func missing() {
        let error = #expect(throws: BundleError.self) { try BuildFolder("/no/such/folder") }
        #expect(error?.code == .inputUnavailable)
    }
}
