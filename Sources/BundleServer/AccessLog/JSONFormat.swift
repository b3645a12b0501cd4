import BundleNetwork
import BundleServing
import BundleStore
import ServerCore

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
