import Testing

@testable import bundlectl

struct NearestWordTests {
    @Test(
        "the command that was probably meant takes few changes",
        arguments: [
            ("instal", "install"), ("isntall", "install"), ("installl", "install"), ("lst", "list"), ("sevre", "serve"),
            ("roll-back", "rollback"), ("frobnicate", nil), ("", nil), ("x", nil),
            (String(repeating: "install", count: 10_000), nil),
        ] as [(String, String?)]
    )
    func nearest(_ word: String, _ meant: String?) {
        #expect(NearestWord.nearest(to: word, in: ["install", "list", "serve", "rollback", "feed"]) == meant)
    }
}
