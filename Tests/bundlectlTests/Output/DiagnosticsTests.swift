import BundleStore
import Testing

@testable import bundlectl

struct DiagnosticsTests {
    @Test("an error is one line, whatever it contains")
    func oneLine() {
        let error = BundleError(.invalidArchive, "a\nb\u{1B}[31m: is wrong")
        #expect(Diagnostics.line("\(error)") == "bundlectl: a\\u{a}b\\u{1b}[31m: is wrong")
    }

    @Test("a long message isn't truncated")
    func long() {
        let text = String(repeating: "x", count: 1_000)
        #expect(Diagnostics.line(text) == "bundlectl: \(text)")
    }
}
