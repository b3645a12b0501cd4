import BundleTesting
import Foundation
import Testing

@testable import BundleServing

@Suite("Whether a text is in normalisation form C")
struct NormalisationCheckTests {
    private func result(_ text: String) -> NormalisationCheck.Result {
        Array(text.utf8).withUnsafeBytes { NormalisationCheck.result(for: $0) }
    }

    @Test(
        "is certain for Latin, Chinese, Japanese and Korean",
        arguments: ["", "app.js", "caf\u{E9}.html", "größe", "商店/首页.html", "ショップ", "가게", "Ð\u{2FF}"]
    )
    func sure(_ text: String) {
        #expect(result(text) == .normal)
    }

    @Test(
        "is unknown for characters that may compose",
        arguments: ["cafe\u{301}", "か\u{3099}", "가\u{11A8}", "\u{1100}\u{1161}", "\u{F900}", "😀"]
    )
    func open(_ text: String) {
        #expect(result(text) == .unknown)
    }

    @Test("is never certain for a text that normalisation changes")
    func soundness() {
        // Each scalar that passes alone must also stay unchanged after any other.
        for value in UInt32(0x80)...0x2FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(String.UnicodeScalarView(["a", scalar, "가", scalar, "か", scalar]))
            guard result(text) == .normal else { continue }
            let normalised = text.precomposedStringWithCanonicalMapping
            #expect(normalised.utf8.elementsEqual(text.utf8), "U+\(String(value, radix: 16))")
        }
    }
}
