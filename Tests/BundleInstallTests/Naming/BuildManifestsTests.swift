import Testing

@testable import BundleInstall

@Suite("The names in build manifests")
struct BuildManifestsTests {
    @Test(
        "are those of a build's output for another name",
        arguments: [
            (#"{"src/main.ts": {"file": "assets/main-DormvYxC.js", "src": "src/main.ts"}}"#, "main-DormvYxC.js"),
            (#"{"_s-DormvYxC.js": {"file": "assets/shared-DormvYxC.js", "name": "shared"}}"#, "shared-DormvYxC.js"),
            (#"{"index.html": {"file": "a.js", "css": ["assets/index-DormvYxC.css"]}}"#, "index-DormvYxC.css"),
            (#"{"files": {"main.js": "/static/js/main.923c3c2c.js"}}"#, "main.923c3c2c.js"),
            (#"{"assetsByChunkName": {"main": ["main.923c3c2c.js"]}}"#, "main.923c3c2c.js"),
            (#"{"outputs": {"out/app-TREGSVPK.js": {"entryPoint": "src/app.ts"}}}"#, "app-TREGSVPK.js"),
        ]
    )
    func names(document: String, name: String) {
        var manifests = BuildManifests()
        manifests.add(Array(document.utf8))
        #expect(manifests.name(name.utf8))
    }

    @Test(
        "are no others, whatever they say",
        arguments: [
            (#"{"lib": "lib-OAuth2v1.js"}"#, "lib-OAuth2v1.js"),
            (#"{"report": "report-20261120.js"}"#, "report-20261120.js"),
            (#"{"jquery": "jquery-3.7.1.min.js"}"#, "jquery-3.7.1.min.js"),
            (#"{"other": "main-DormvYxC.js"}"#, "main-DormvYxC.js"),
            (#"["main", "main-DormvYxC.js"]"#, "main-DormvYxC.js"),
            (#"{"main": "main-DormvYxC.js""#, "main-DormvYxC.js"), ("", "main-DormvYxC.js"), (#"{"": "/"}"#, ""),
        ]
    )
    func others(document: String, name: String) {
        var manifests = BuildManifests()
        manifests.add(Array(document.utf8))
        #expect(!manifests.name(name.utf8))
    }

    @Test(
        "aren't read from a manifest that is too deep or too long",
        arguments: [
            String(repeating: #"{"a":"#, count: 100_000),
            #"{"main": "main-DormvYxC.js", "x": "\#(String(repeating: "x", count: BuildManifests.maximumByteCount))"}"#,
        ]
    )
    func hostile(document: String) {
        var manifests = BuildManifests()
        manifests.add(Array(document.utf8))
        #expect(!manifests.name("main-DormvYxC.js".utf8))
    }

    @Test(
        "are looked for in files of the usual names",
        arguments: [
            (".vite/manifest.json", true), ("asset-manifest.json", true), ("dist/stats.json", true),
            ("data.json", false),
            ("manifest.json/a.json", false), ("manifest.js", false), ("", false),
        ]
    )
    func places(path: String, isOne: Bool) {
        #expect(Array(path.utf8).withUnsafeBytes { BuildManifests.isOne($0) } == isOne)
    }
}
