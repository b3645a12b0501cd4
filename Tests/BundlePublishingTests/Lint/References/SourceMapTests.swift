import BundlePublishing
import Testing

@Suite("Source maps")
struct SourceMapTests {
    @Test(
        "refer to the sources that they have no content of",
        arguments: [
            (#"{"sources": ["a.ts", "b.ts"]}"#, ["a.ts", "b.ts"]),
            (#"{"sources": ["a.ts", "b.ts"], "sourcesContent": ["a", null]}"#, ["b.ts"]),
            (#"{"sources": ["a.ts", null, 7], "sourcesContent": [""]}"#, []),
            (#"{"sources": ["a.ts"], "sourceRoot": "src"}"#, ["src/a.ts"]),
            (#"{"sources": ["a.ts"], "sourceRoot": "/src/main.js"}"#, ["/src/a.ts"]),
            (#"{"sources": ["a.ts"], "sourceRoot": ""}"#, ["a.ts"]),
            (
                #"{"sections": [{"map": {"sources": ["a.ts"]}}, {"map": {"sources": ["b.ts"]}}, {}]}"#,
                ["a.ts", "b.ts"]
            ),
            (")]}'\n" + #"{"sources": ["a.ts"]}"#, ["a.ts"]), (#"{"sources": 7}"#, []), ("[]", []), ("", []),
        ] as [(String, [String])]
    )
    func sources(_ text: String, _ expected: [String]) {
        #expect(SourceMap.sourcesWithoutContent(in: Array(text.utf8)) == expected)
    }
}
