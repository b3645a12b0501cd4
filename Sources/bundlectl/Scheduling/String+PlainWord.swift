extension String {
    /// Whether it means itself in unit files and to a shell, without quotes.
    var isPlainWord: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "/._-=:+,@".utf8.contains(byte)
                }
            }
    }
}
