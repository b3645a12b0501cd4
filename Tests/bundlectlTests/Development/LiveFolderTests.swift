import BundleStore
import Foundation
import Testing

@testable import bundlectl

@Suite("A folder that is served")
struct LiveFolderTests {
    @Test(
        "has a version of its own after each change",
        arguments: [
            ("1.0.0", "1.0.0-dev.5000"), ("1.0.0-rc.1", "1.0.0-rc.1.dev.5000"), ("1.0.0+build", "1.0.0-dev.5000"),
            ("3", "3.5000"), ("1.2", "1.2.5000"), ("0.0.0", "0.0.0-dev.5000"),
        ]
    )
    func versions(_ base: String, _ expected: String) throws {
        let version = try #require(BundleVersion(base))
        #expect(LiveFolder.version(after: version, at: Date(timeIntervalSince1970: 5))?.string == expected)
    }
}
