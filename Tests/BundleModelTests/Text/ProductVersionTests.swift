import Foundation
import Testing

@testable import BundleModel

@Suite("The version of this package")
struct ProductVersionTests {
    @Test("it was there on its day, which isn't in the future, and signatures may count on that")
    func releaseDate() throws {
        #expect(ProductVersion.releaseDate <= Date())
        #expect(ProductVersion.releaseDate == (try Date("2026-11-28T00:00:00Z", strategy: .iso8601)))
    }
}
