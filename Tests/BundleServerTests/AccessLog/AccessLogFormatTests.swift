import BundleNetwork
import BundleServing
import Foundation
import Testing

@testable import BundleServer
@testable import ServerCore

@Suite("Access log formats")
struct AccessLogFormatTests {
    @Test("combined is what Apache httpd and nginx write")
    func combined() {
        let expected =
            #"192.0.2.7 - - [21/Nov/2026:12:14:31 +0000] "GET /shop/?q=1 HTTP/1.1" 200 1234 "https://a/" "curl/8""#
        #expect(Self.line(Self.record(), .combined) == expected + "\n")
    }

    @Test("a missing value is a dash, a Unix socket's client is unix:, and a malformed request is an empty one")
    func combinedAbsences() {
        var record = Self.record()
        (record.client, record.method, record.referrer, record.userAgent) = (.absent, .absent, .absent, .absent)
        #expect(Self.line(record, .combined) == #"unix: - - [21/Nov/2026:12:14:31 +0000] "" 200 1234 "-" "-""# + "\n")
    }

    @Test(
        "nothing that a client sends leaves its field",
        arguments: [
            ("\"", #"\x22"#, #"\""#), ("\\", #"\x5C"#, #"\\"#), ("\r\n", #"\x0D\x0A"#, #"\u000D\u000A"#),
            ("\u{7F}", #"\x7F"#, #"\u007F"#), ("ü", #"\xC3\xBC"#, "ü"),
            ("a\u{9B}2J\u{80}\u{9F}\u{A0}", #"a\xC2\x9B2J\xC2\x80\xC2\x9F\xC2\xA0"#, "a\\u009B2J\\u0080\\u009F\u{A0}"),
        ]
    )
    func escapes(_ text: String, _ combined: String, _ json: String) {
        var record = Self.record()
        record.userAgent = .string(text)
        #expect(Self.line(record, .combined).hasSuffix(" \"\(combined)\"\n"))
        #expect(Self.line(record, .json).hasSuffix("\"user_agent\":\"\(json)\"}\n"))
    }

    @Test("a JSON line is an object with these members")
    func json() throws {
        let expected = """
            {"time":"2026-11-21T12:14:31.042Z","client":"192.0.2.7","method":"GET","target":"/shop/?q=1","host":"localhost",\
            "protocol":"HTTP/1.1","status":200,"bytes":1234,"duration_ms":1500.007,"layer":"cache","referer":"https://a/",\
            "user_agent":"curl/8"}

            """
        let line = Self.line(Self.record(), .json)
        #expect(line == expected)
        _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
    }

    @Test("bytes that aren't UTF-8 are replaced in JSON, and escaped in combined")
    func notUTF8() {
        let bytes: [UInt8] = [0x61, 0xFF]
        bytes.withUnsafeBytes { bytes in
            var record = Self.record()
            record.userAgent = .bytes(bytes)
            #expect(Self.line(record, .json).hasSuffix("\"user_agent\":\"a\u{FFFD}\"}\n"))
            #expect(Self.line(record, .combined).hasSuffix(#" "a\xFF""# + "\n"))
        }
    }

    @Test("numbers of any size are written", arguments: [0, 9, 10, 404, 99_999, Int.max, -7])
    func numbers(_ number: Int) {
        var line = LogLine()
        line.append(number)
        #expect(String(decoding: line.bytes, as: UTF8.self) == String(number))
    }

    @Test(
        "an odd clock gives an odd time, and doesn't trap",
        arguments: [-1e300, -1, 0, 253_402_300_800, 1e300, .nan]
    )
    func oddClock(_ seconds: Double) {
        var record = Self.record()
        record.time = Date(timeIntervalSince1970: seconds)
        #expect(Self.line(record, .json).hasPrefix(#"{"time":""#))
    }

    static func record() -> AccessRecord {
        AccessRecord(
            time: Date(timeIntervalSince1970: 1_795_263_271.042),
            client: .string("192.0.2.7"),
            method: .string("GET"),
            target: .string("/shop/?q=1"),
            host: .string("localhost"),
            version: .string("HTTP/1.1"),
            referrer: .string("https://a/"),
            userAgent: .string("curl/8"),
            status: 200,
            byteCount: 1_234,
            duration: .microseconds(1_500_007),
            source: ResponseSource(.cache)
        )
    }

    private static func line(_ record: AccessRecord, _ format: AccessLogFormat) -> String {
        var (line, time) = (LogLine(), LogTime())
        time.advance(to: record.time)
        format.append(record, at: time, to: &line)
        return String(decoding: line.bytes, as: UTF8.self)
    }
}
