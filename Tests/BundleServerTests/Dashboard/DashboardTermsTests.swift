import BundleStore
import Testing

@testable import BundleServer

@Suite("The content of an action")
struct DashboardTermsTests {
    @Test(
        arguments: [
            (#"{"version": "1.0.0"}"#, .activate, "1.0.0"), (#"{"version": "1.0.0"}"#, .rollback, "1.0.0"),
            ("{}", .rollback, nil), ("{}", .update, nil), (#"{"other": 1}"#, .hold, nil),
        ] as [(String, DashboardAction, String?)]
    )
    func `is an object with a version`(_ content: String, _ action: DashboardAction, _ version: String?) throws {
        #expect(try DashboardTerms(Array(content.utf8), for: action).version?.string == version)
    }

    @Test(
        arguments: [
            ("", .update), ("[]", .update), ("null", .update), ("{}", .activate), ("{}", .pin), ("{}", .unpin),
            ("{}", .markGood), ("{}", .markBad),
            (#"{"version": 1}"#, .activate), (#"{"version": ""}"#, .activate), (#"{"version": "../x"}"#, .pin),
            (#"{"version": "1", "version": "2"}"#, .pin), (#"{"version": null}"#, .rollback),
        ] as [(String, DashboardAction)]
    )
    func `is nothing else`(_ content: String, _ action: DashboardAction) {
        #expect(throws: BundleError.self) { try DashboardTerms(Array(content.utf8), for: action) }
    }
}
