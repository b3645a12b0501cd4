import BundleTesting
import Testing

@testable import BundleModel

@Suite("The publisher of a bundle")
struct BundlePublisherTests {
    @Test(
        "is the same while one host of its origins stays, with any scheme and path, or while there is no origin",
        arguments: [
            (["https://a.example/"], ["https://a.example/"], true),
            (["https://a.example/x/"], ["http://a.example/y/"], true),
            (["https://a.example/"], ["https://b.example/", "https://a.example/"], true),
            (["https://a.example/", "https://b.example/"], ["https://b.example/"], true),
            (["https://a.example:443/"], ["https://a.example/"], true),
            ([], [], true),
            (["https://a.example/"], ["https://evil.example/"], false),
            (["https://a.example/"], ["https://a.example:8443/"], false),
            (["https://a.example/"], ["https://sub.a.example/"], false),
            (["https://a.example/", "https://b.example/"], ["https://c.example/"], false),
            ([], ["https://a.example/"], false), (["https://a.example/"], [], false),
        ] as [([String], [String], Bool)]
    )
    func same(_ first: [String], _ second: [String], _ isSame: Bool) throws {
        let (first, second) = (try publisher(first), try publisher(second))
        #expect(first.isSame(as: second) == isSame)
        #expect(second.isSame(as: first) == isSame)
    }

    private func publisher(_ origins: [String]) throws -> BundlePublisher {
        BundlePublisher(of: try .sample(origins: origins))
    }
}
