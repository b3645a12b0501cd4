/// A ustar archive written by hand (POSIX.1-2017, pax, “ustar Interchange Format”), which can be invalid in every way
/// that a test needs.
package struct TarFixture: Sendable {
    /// The entries, in order.
    package var entries: [TarFixtureEntry]
    /// The number of zero blocks at the end; two in a proper archive.
    package var endBlockCount = 2
    /// Bytes after the end.
    package var suffix: [UInt8] = []

    private static let blockByteCount = 512

    /// Makes an archive of `entries`.
    package init(_ entries: [TarFixtureEntry]) {
        self.entries = entries
    }

    /// The archive.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries {
            bytes += header(of: entry)
            bytes += padded(entry.contents)
        }
        return bytes + [UInt8](repeating: 0, count: endBlockCount * Self.blockByteCount) + suffix
    }

    private func header(of entry: TarFixtureEntry) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: Self.blockByteCount)
        func put(_ bytes: some Collection<UInt8>, at offset: Int) {
            header.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
        put(entry.name.prefix(100), at: 0)
        put(octal(0o644, digits: 7), at: 100)
        put(octal(0, digits: 7), at: 108)
        put(octal(0, digits: 7), at: 116)
        put(octal(entry.declaredByteCount ?? entry.contents.count, digits: 11), at: 124)
        put(octal(0, digits: 11), at: 136)
        put(entry.typeFlag.utf8, at: 156)
        put(entry.linkTarget.utf8.prefix(100), at: 157)
        put(Array("ustar\u{0}00".utf8), at: 257)
        for (offset, bytes) in entry.overlay { put(bytes, at: offset) }
        put(Array(repeating: 0x20, count: 8), at: 148)
        let sum = header.reduce(entry.hasValidChecksum ? 0 : 1) { $0 + Int($1) }
        put(octal(sum, digits: 6) + [0], at: 148)
        return header
    }

    private func octal(_ number: Int, digits: Int) -> [UInt8] {
        let text = String(number, radix: 8)
        return Array((String(repeating: "0", count: max(0, digits - text.count)) + text).utf8)
    }

    private func padded(_ contents: [UInt8]) -> [UInt8] {
        let rest = contents.count % Self.blockByteCount
        return rest == 0 ? contents : contents + [UInt8](repeating: 0, count: Self.blockByteCount - rest)
    }
}
