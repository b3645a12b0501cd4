extension UInt8 {
    /// The byte in lower case if it is an ASCII letter, otherwise unchanged.
    @inline(__always)
    var asciiLowercased: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }
}

extension Sequence<UInt8> {
    /// Whether both are the same but for the case of ASCII letters.
    func isSameName(as other: some Sequence<UInt8>) -> Bool {
        elementsEqual(other) { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes are a name, compared without case (RFC 5234 §2.3).
    ///
    /// - Parameter name: In lower case.
    @inline(__always)
    package func isName(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index].asciiLowercased != name.utf8Start[index] { return false }
        return true
    }
}
