import BundleNetwork
import BundleServing
import BundleStore
import Foundation
import ServerCore

/// The format of the lines of an access log. A value type; safe to share between threads.
public enum AccessLogFormat: String, Sendable, CaseIterable {
    /// The format of this name in Apache httpd and nginx.
    case combined
    /// A JSON object.
    case json

    func append(_ record: AccessRecord, at time: LogTime, to line: inout LogLine) {
        switch self {
        case .combined: CombinedFormat.append(record, at: time, to: &line)
        case .json: JSONFormat.append(record, at: time, to: &line)
        }
    }
}

/// `client - - [time] "request" status bytes "referrer" "user agent"`, with nginx's escapes: quotation marks,
/// backslashes and bytes that aren't printable ASCII become `\xHH`, so that no client can forge a line or a field.
enum CombinedFormat {
    static func append(_ record: AccessRecord, at time: LogTime, to line: inout LogLine) {
        if record.client.isAbsent { line.append("unix:" as StaticString) } else { append(record.client, to: &line) }
        line.append(" - - [" as StaticString)
        line.append(time.common)
        line.append("] \"" as StaticString)
        if !record.method.isAbsent {
            append(record.method, to: &line)
            line.append(UInt8(ascii: " "))
            append(record.target, to: &line)
            line.append(UInt8(ascii: " "))
            append(record.version, to: &line)
        }
        line.append("\" " as StaticString)
        line.append(record.status)
        line.append(UInt8(ascii: " "))
        line.append(record.byteCount)
        for text in [record.referrer, record.userAgent] {
            line.append(" \"" as StaticString)
            if text.isAbsent { line.append(UInt8(ascii: "-")) } else { append(text, to: &line) }
            line.append(UInt8(ascii: "\""))
        }
        line.append(UInt8(ascii: "\n"))
    }

    private static func append(_ text: LogText, to line: inout LogLine) {
        text.withBytes { bytes in
            for byte in bytes {
                if isPlain(byte) {
                    line.append(byte)
                } else {
                    line.append("\\x" as StaticString)
                    line.appendHexadecimal(byte)
                }
            }
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

/// One JSON object (RFC 8259) per line. Unknown values are left out; invalid UTF-8 is replaced by U+FFFD. Control
/// characters are escaped, including those of the second set (C1, U+0080 to U+009F), which some terminals interpret.
enum JSONFormat {
    static func append(_ record: AccessRecord, at time: LogTime, to line: inout LogLine) {
        line.append(#"{"time":""# as StaticString)
        line.append(time.calendar)
        line.append(UInt8(ascii: "."))
        line.append(time.millisecond, digits: 3)
        line.append(#"Z""# as StaticString)
        append("client", record.client, to: &line)
        append("method", record.method, to: &line)
        append("target", record.target, to: &line)
        append("host", record.host, to: &line)
        append("protocol", record.version, to: &line)
        line.append(#","status":"# as StaticString)
        line.append(record.status)
        line.append(#","bytes":"# as StaticString)
        line.append(record.byteCount)
        append(record.duration, to: &line)
        append("layer", .string(record.source.layer.rawValue), to: &line)
        append("bundle", LogText(record.source.release?.name.string), to: &line)
        append("version", LogText(record.source.release?.version.string), to: &line)
        append("referer", record.referrer, to: &line)
        append("user_agent", record.userAgent, to: &line)
        line.append("}\n" as StaticString)
    }

    private static func append(_ duration: Duration, to line: inout LogLine) {
        let (seconds, attoseconds) = duration.components
        // No request takes longer than this range.
        let microseconds = min(max(seconds, 0), 1 << 32) * 1_000_000 + max(attoseconds, 0) / 1_000_000_000_000
        line.append(#","duration_ms":"# as StaticString)
        line.append(Int(microseconds / 1_000))
        line.append(UInt8(ascii: "."))
        line.append(Int(microseconds % 1_000), digits: 3)
    }

    private static func append(_ key: StaticString, _ text: LogText, to line: inout LogLine) {
        guard !text.isAbsent else { return }
        line.append(#",""# as StaticString)
        line.append(key)
        line.append(#"":""# as StaticString)
        text.withBytes { bytes in
            if bytes.allSatisfy({ $0 < 0x80 }) {
                escape(bytes, to: &line)
            } else {
                var repaired = String(decoding: bytes, as: UTF8.self)
                repaired.withUTF8 { escape(UnsafeRawBufferPointer($0), to: &line) }
            }
        }
        line.append(UInt8(ascii: "\""))
    }

    /// - Parameter bytes: In UTF-8.
    private static func escape(_ bytes: UnsafeRawBufferPointer, to line: inout LogLine) {
        var isSecondSet = false
        for (index, byte) in bytes.enumerated() {
            if isSecondSet {
                line.append("\\u00" as StaticString)
                line.appendHexadecimal(byte)
                isSecondSet = false
                continue
            }
            switch byte {
            case 0xC2 where index + 1 < bytes.count && bytes[index + 1] < 0xA0:
                isSecondSet = true
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                line.append(UInt8(ascii: "\\"))
                line.append(byte)
            case 0..<0x20, 0x7F:
                line.append("\\u00" as StaticString)
                line.appendHexadecimal(byte)
            default:
                line.append(byte)
            }
        }
    }
}

/// A buffer of log lines, and functions to append to it. Nothing is allocated while the capacity suffices.
struct LogLine {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    /// Empties it, and keeps the capacity.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// - Parameter digits: The minimum number of digits; padded with zeros.
    mutating func append(_ number: Int, digits: Int = 1) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var divisor: UInt = 1
        let magnitude = number.magnitude
        var width = 1
        while width < digits || magnitude / divisor >= 10 {
            divisor *= 10
            width += 1
        }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(magnitude / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends two hexadecimal digits, in upper case like nginx.
    mutating func appendHexadecimal(_ byte: UInt8) {
        for digit in [byte >> 4, byte & 15] {
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
    }
}

/// A point in time in the formats of logs: in UTC. The texts change once a second and are kept that long.
struct LogTime {
    private(set) var millisecond = 0
    /// `21/Nov/2026:12:14:31 +0000`, the format of Apache httpd.
    private(set) var common = ""
    /// `2026-11-21T12:14:31`, for RFC 3339; without fraction and zone.
    private(set) var calendar = ""

    private var second = Int.min

    mutating func advance(to date: Date) {
        let milliseconds = Int(exactly: (date.timeIntervalSince1970 * 1_000).rounded(.down)) ?? 0
        millisecond = ((milliseconds % 1_000) + 1_000) % 1_000
        let now = (milliseconds - millisecond) / 1_000
        guard now != second else { return }
        second = now
        let time = CalendarTime(clamping: now)
        let clock = [time.hour, time.minute, time.second].map(Self.twoDigits).joined(separator: ":")
        let year = String(repeating: "0", count: max(0, 4 - String(time.year).count)) + String(time.year)
        common = "\(Self.twoDigits(time.day))/\(HTTPDate.months[time.month - 1])/\(year):\(clock) +0000"
        calendar = "\(year)-\(Self.twoDigits(time.month))-\(Self.twoDigits(time.day))T\(clock)"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
