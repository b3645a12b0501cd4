import BundleStore
import Testing

@testable import bundlectl

struct OriginArgumentTests {
    @Test(
        "a URL, and a folder after the last “=/”",
        arguments: [
            ("https://a.test/", "https://a.test/ ↔ /"),
            ("https://a.test/shop", "https://a.test/shop/ ↔ /"),
            ("https://a.test/=/", "https://a.test/ ↔ /"),
            ("https://a.test/=/assets", "https://a.test/ ↔ /assets/"),
            ("https://a.test/=/assets/img/", "https://a.test/ ↔ /assets/img/"),
            ("https://a.test/a=b", "https://a.test/a%3Db/ ↔ /"),
            ("https://a.test/a=b=/c", "https://a.test/a%3Db/ ↔ /c/"),
        ]
    )
    func taken(_ text: String, _ mapping: String) {
        #expect(OriginArgument(argument: text)?.mapping.description == mapping)
    }

    @Test(
        "an invalid URL or folder is refused",
        arguments: [
            "", "a.test", "ftp://a.test/", "https://a.test/?q=1", "https://a.test/=/../x", "https://a.test/=//", "=/",
        ]
    )
    func refused(_ text: String) {
        #expect(OriginArgument(argument: text) == nil)
    }
}
