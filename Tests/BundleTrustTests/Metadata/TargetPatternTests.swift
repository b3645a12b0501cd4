import Testing

@testable import BundleTrust

struct TargetPatternTests {
    @Test(
        "a pattern covers what glob(7) says, component by component",
        arguments: [
            // The examples of the specification (4.5).
            ("targets/*.tgz", "targets/foo.tgz", true), ("targets/*.tgz", "targets/foo.txt", false),
            ("foo-version-?.tgz", "foo-version-2.tgz", true), ("foo-version-?.tgz", "foo-version-alpha.tgz", false),
            ("*.tgz", "foo.tgz", true), ("*.tgz", "targets/foo.tgz", false), ("foo.tgz", "foo.tgz", true),
            ("foo.tgz", "foo.tgz.exe", false),
            ("*", "a", true), ("*", "", true), ("*", "a/b", false), ("**", "a/b", false), ("*/*", "a/b", true),
            ("a*b*c", "axxbyybzc", true), ("a*b*c", "axxbyybz", false), ("a**", "a", true), ("?", "", false),
            ("?", "é", true), ("?", "e\u{301}", false), ("é", "e\u{301}", false), ("*.MD", "a.md", false),
            ("[ab].js", "b.js", true), ("[ab].js", "c.js", false), ("[!ab].js", "c.js", true), ("[a-c]", "b", true),
            ("[a-c]", "-", false), ("[a-]", "-", true), ("[]]", "]", true), ("[!]]", "a", true), ("[a", "[a", true),
            ("[z-a]", "b", false), ("a/[/]b", "a//b", false), ("", "", true), ("/a", "a", false), ("a", "/a", false),
        ] as [(String, String, Bool)]
    )
    func coverage(_ pattern: String, _ path: String, _ isCovered: Bool) {
        #expect(TargetPattern(pattern).matches(path) == isCovered)
    }

    @Test("many stars take no more than the product of the lengths")
    func stars() {
        let pattern = TargetPattern(String(repeating: "a*", count: 500) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 1_000)))
    }
}
