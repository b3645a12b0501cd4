/// Character references in attribute values (WHATWG HTML §13.2.5.72): numbers, and the names that URLs are written with.
enum CharacterReferences {
    private static let names: [String: Character] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    /// A longer name isn't one of these.
    private static let maximumByteCount = 10

    static func decode(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var text = ""
        var rest = bytes
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            text += String(decoding: rest[..<start], as: UTF8.self)
            let candidate = rest[(start + 1)...].prefix(maximumByteCount)
            if let end = candidate.firstIndex(of: UInt8(ascii: ";")),
                let character = character(String(decoding: rest[(start + 1)..<end], as: UTF8.self))
            {
                text.append(character)
                rest = rest[(end + 1)...]
            } else {
                text += "&"
                rest = rest[(start + 1)...]
            }
        }
        return text + String(decoding: rest, as: UTF8.self)
    }

    private static func character(_ name: String) -> Character? {
        if let known = names[name] { return known }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
