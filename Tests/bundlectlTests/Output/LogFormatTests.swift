import BundleStore
import Foundation
import Logging
import Testing

@testable import bundlectl

struct LogFormatTests {
    private static let fields: Logger.Metadata = [
        "layer": "active", "bytes": .stringConvertible(7), "ms": .stringConvertible(0.25), "reason": "a \"b\" c",
    ]
    private static let time = Date(timeIntervalSince1970: 1_767_225_600)

    @Test("text is one line, with the fields by name, and in quotes when they have spaces")
    func text() {
        let line = LogFormat.text.line(at: Self.time, .debug, "GET /a\n\u{1B}[31m 200", Self.fields)
        #expect(
            line
                == #"2026-01-01T00:00:00Z debug: GET /a\u{a}\u{1b}[31m 200 bytes=7 layer=active ms=0.25 reason="a 'b' c""#
        )
    }

    @Test("JSON is one object on one line, whatever is in the message")
    func json() throws {
        let line = LogFormat.json.line(at: Self.time, .warning, "a\n\"\u{1B}", Self.fields)
        #expect(!line.contains("\n") && !line.contains("\u{1B}"))
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["time"] as? String == "2026-01-01T00:00:00Z")
        #expect(object?["level"] as? String == "warning")
        #expect(object?["message"] as? String == "a\n\"\u{1B}")
        #expect(line.contains(#""fields":{"bytes":7,"layer":"active","ms":0.25,"reason":"a \"b\" c"}"#))
        #expect(!LogFormat.json.line(at: Self.time, .info, "a", [:]).contains("fields"))
    }
}
