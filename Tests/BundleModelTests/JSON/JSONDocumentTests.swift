import Foundation
import Testing

@testable import BundleModel

struct JSONDocumentTests {
    private struct Sample: Encodable {
        let url: String
        let date: Date
        let absent: Int?
    }

    private let sample = Sample(url: "https://a.test/", date: Date(timeIntervalSince1970: 0.9), absent: nil)

    @Test("keys are sorted, slashes are plain, absent keys are left out, and a line break ends it")
    func text() {
        let text = JSONDocument.text(of: sample)
        #expect(text == "{\n  \"date\" : \"1970-01-01T00:00:00Z\",\n  \"url\" : \"https://a.test/\"\n}\n")
    }

    @Test("a line has no line break, and dates as they are asked for")
    func line() {
        #expect(JSONDocument.line(of: sample) == #"{"date":"1970-01-01T00:00:00Z","url":"https://a.test/"}"#)
        #expect(JSONDocument.line(of: sample, dates: .seconds) == #"{"date":1,"url":"https://a.test/"}"#)
    }

    @Test("names and versions are texts")
    func words() {
        #expect(JSONDocument.line(of: [BundleName("shop")]) == #"["shop"]"#)
        #expect(JSONDocument.line(of: ["version": BundleVersion("1.0.0")]) == #"{"version":"1.0.0"}"#)
    }
}
