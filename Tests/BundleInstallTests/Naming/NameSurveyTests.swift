import Testing

@testable import BundleInstall

@Suite("A survey of names before an installation")
struct NameSurveyTests {
    @Test("counts the names with a hash by their folders, in any order, and no others")
    func folders() {
        let paths = [
            "index.html", "assets/vendor-Cq7RtbWn.js", "assets/index-BxZ9dK2f.css", "assets/robots.txt",
            "assets/index-DormvYxC.js", "img/IMG-20231105.png", "assets/logo-D3kfHw-p.svg", "assets/Page-Bw4LmXo8.js",
        ]
        #expect(NameSurvey.hashedFileCounts(paths) { _, _ in nil } == ["/assets/": 5])
        #expect(NameSurvey.hashedFileCounts(paths.reversed()) { _, _ in nil } == ["/assets/": 5])
        #expect(NameSurvey.hashedFileCounts(["index.html", "app.js"]) { _, _ in nil }.isEmpty)
    }

    @Test("believes a build manifest, unless it can't be read")
    func buildManifest() {
        let paths = ["assets/main-DormvYxC.js", ".vite/manifest.json"]
        let document = #"{"src/main.ts": {"file": "assets/main-DormvYxC.js", "src": "src/main.ts"}}"#
        let counts = NameSurvey.hashedFileCounts(paths) { path, _ in path == paths[1] ? Array(document.utf8) : nil }
        #expect(counts == ["/assets/": 1])
        #expect(NameSurvey.hashedFileCounts(paths) { _, _ in Array("{".utf8) }.isEmpty)
        #expect(NameSurvey.hashedFileCounts(paths) { _, _ in nil }.isEmpty)
    }
}
