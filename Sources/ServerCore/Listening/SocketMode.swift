/// Who may connect to a Unix domain socket: its file's permissions. Connecting requires the write permission.
///
/// A value type; safe to share between threads.
public struct SocketMode: Sendable, Hashable {
    /// The permission bits, 0 to 0o777.
    public let bits: UInt16

    /// Takes permission bits; nil when other bits are set.
    public init?(_ bits: UInt16) {
        guard bits <= 0o777 else { return nil }
        self.bits = bits
    }

    /// Parses up to four octal digits, `660` or `0660`. Returns nil for anything else.
    public init?(_ text: String) {
        guard text.utf8.count <= 4, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "7") ~= $0 }),
            let bits = UInt16(text, radix: 8)
        else { return nil }
        self.init(bits)
    }
}
