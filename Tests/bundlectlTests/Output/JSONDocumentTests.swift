import Foundation
import Testing

@testable import bundlectl

struct JSONDocumentTests {
    private struct Sample: Encodable {
        let url: String
        let date: Date
        let absent: Int?
    }

    @Test("keys are sorted, slashes are plain, absent keys are left out, and a line break ends it")
    func text() throws {
        let sample = Sample(url: "https://a.test/", date: Date(timeIntervalSince1970: 0), absent: nil)
        let text = try JSONDocument.text(of: sample)
        #expect(text == "{\n  \"date\" : \"1970-01-01T00:00:00Z\",\n  \"url\" : \"https://a.test/\"\n}\n")
    }
}
