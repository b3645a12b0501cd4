/// The records of a pax extended header (POSIX.1-2017, pax, “pax Extended Header”) that change which entry follows.
struct PaxHeader {
    /// Names, which a NUL would cut for some programs.
    private static let names = ["path", "linkpath", "GNU.sparse.name"]
    private static let maximumDigitCount = 18

    /// The size of the data that follows, when it is given.
    private(set) var byteCount: Int64?

    /// Reads the header in front of an entry.
    init(_ bytes: [UInt8]) throws(ArchiveError) {
        try Self.forEachRecord(of: bytes) { key, value throws(ArchiveError) in
            if Self.names.contains(key) {
                guard !value.isEmpty, !value.contains(0) else { throw Self.unclearName }
            } else if key == "size" {
                byteCount = try Self.number(value)
            }
        }
    }

    /// Checks a header that holds for all entries that follow: libarchive passes it over, and other programs don't.
    static func checkGlobal(_ bytes: [UInt8]) throws(ArchiveError) {
        try forEachRecord(of: bytes) { key, _ throws(ArchiveError) in
            guard !names.contains(key), key != "size", !key.hasPrefix("GNU.sparse.") else {
                throw .unclearTar("has a global pax header that changes the \(key) of every entry")
            }
        }
    }

    /// A name without an end, or in two parts.
    static var unclearName: ArchiveError { .unclearTar("has an empty name, or a NUL in its name") }

    private static func number(_ value: ArraySlice<UInt8>) throws(ArchiveError) -> Int64 {
        let isNumber = value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber, (1...maximumDigitCount).contains(value.count) else { throw .tarWithoutSize }
        return value.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Calls `body` with each record: its length in decimal, a space, the key, “=”, the value, and a line feed.
    private static func forEachRecord(
        of bytes: [UInt8],
        _ body: (_ key: String, _ value: ArraySlice<UInt8>) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0 != UInt8(ascii: " ") }
            guard digits.count <= maximumDigitCount, let count = Int(String(decoding: digits, as: UTF8.self)),
                count > digits.count + 1, count <= rest.count
            else { throw broken }
            let record = rest.prefix(count).dropFirst(digits.count + 1)
            guard record.last == UInt8(ascii: "\n"), let equals = record.firstIndex(of: UInt8(ascii: "=")) else {
                throw broken
            }
            try body(String(decoding: record[..<equals], as: UTF8.self), record[(equals + 1)...].dropLast())
            rest = rest.dropFirst(count)
        }
    }

    private static var broken: ArchiveError {
        ArchiveError(.damaged, "has a pax header that is damaged", advice: ArchiveError.fetchAgain)
    }
}
