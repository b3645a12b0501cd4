import ServerCore

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
