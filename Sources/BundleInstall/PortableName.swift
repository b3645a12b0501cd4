import BundleStore

/// Rules for the names of files, beyond those of a ``/BundleModel/BundlePath``: an exported bundle must be the same on
/// every system, and no part of a name may change its meaning when it is decoded once more.
///
/// The characters `<>"|?*` are allowed although Windows forbids them: mirrors of web sites have them in their page
/// names, and Windows refuses such a file instead of writing another one. So is `:`, as in the `Foo::Bar.html` of Perl
/// and C++ manuals, except where it makes a drive letter or names the type of a stream (`page.html::$DATA` is
/// `page.html`). On NTFS `page.html:x` would be a stream beside the content of `page.html`.
package enum PortableName {
    /// - Throws: ``PortableNameError`` for the first component that breaks a rule.
    package static func check(_ path: BundlePath) throws(PortableNameError) {
        var string = path.string
        let reason: PortableNameError.Reason? = string.withUTF8 { utf8 in
            var start = 0
            while start <= utf8.count {
                let end = utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? utf8.count
                if let reason = problem(of: UnsafeBufferPointer(rebasing: utf8[start..<end])) { return reason }
                start = end + 1
            }
            return nil
        }
        if let reason { throw PortableNameError(path: path, reason: reason) }
    }

    private static func problem(of component: UnsafeBufferPointer<UInt8>) -> PortableNameError.Reason? {
        if isEncodedTraversal(component) { return .encodedTraversal }
        if hasDriveLetter(component) { return .driveLetter }
        if hasStreamType(component) { return .streamType }
        switch component.last {
        case UInt8(ascii: "."): return .trailingDot
        case UInt8(ascii: " "): return .trailingSpace
        default: return isReserved(component) ? .reservedDeviceName : nil
        }
    }

    private static func hasDriveLetter(_ component: UnsafeBufferPointer<UInt8>) -> Bool {
        guard component.count >= 2, component[1] == UInt8(ascii: ":") else { return false }
        return ASCII.isLetter(component[0])
    }

    /// Microsoft, “File Streams”: the types are `$DATA`, `$INDEX_ALLOCATION`, `$BITMAP` and others, in any case.
    private static func hasStreamType(_ component: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let colon = component.lastIndex(of: UInt8(ascii: ":")), colon + 1 < component.count else { return false }
        return component[colon + 1] == UInt8(ascii: "$")
    }

    /// Microsoft, “Naming Files, Paths, and Namespaces”: with or without an extension, in any case. Spaces before the
    /// extension don't count.
    private static func isReserved(_ component: UnsafeBufferPointer<UInt8>) -> Bool {
        // The first letter rules out most components.
        switch (component.first ?? 0) & 0xDF {
        case UInt8(ascii: "C"), UInt8(ascii: "P"), UInt8(ascii: "A"), UInt8(ascii: "N"), UInt8(ascii: "L"): break
        default: return false
        }
        var base = component.prefix { $0 != UInt8(ascii: ".") }
        while base.last == UInt8(ascii: " ") { base = base.dropLast() }
        guard (3...7).contains(base.count) else { return false }
        let name = String(decoding: base, as: UTF8.self).uppercased()
        return reservedNames.contains(name)
    }

    private static let reservedNames: Set<String> = {
        let digits = "0123456789¹²³".map(String.init)
        return Set(
            ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"] + digits.map { "COM" + $0 } + digits.map { "LPT" + $0 }
        )
    }()

    /// Whether decoding percent escapes, once or several times, yields `.` or `..`, or a separator that wasn't there.
    private static func isEncodedTraversal(_ component: UnsafeBufferPointer<UInt8>) -> Bool {
        guard component.contains(UInt8(ascii: "%")) else { return false }
        var bytes = Array(component)
        while let decoded = decodedOnce(bytes) {
            bytes = decoded
            if bytes == Array(".".utf8) || bytes == Array("..".utf8) { return true }
            if bytes.contains(UInt8(ascii: "/")) || bytes.contains(UInt8(ascii: "\\")) { return true }
        }
        return false
    }

    /// Nil when there is no escape. Careless decoders accept overlong forms of `.`, `/` and `\`, so they are decoded
    /// here too, and so are Microsoft's escapes of the form `%u002e`.
    private static func decodedOnce(_ bytes: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.first {
            if let scalar = escaped(rest.dropFirst(2), digitCount: 4), byte == UInt8(ascii: "%"),
                rest.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "u")
            {
                result += Array(String(UnicodeScalar(UInt16(scalar)).map(Character.init) ?? "\u{FFFD}").utf8)
                rest = rest.dropFirst(6)
            } else if let value = escaped(rest.dropFirst(), digitCount: 2), byte == UInt8(ascii: "%") {
                result.append(UInt8(value))
                rest = rest.dropFirst(3)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        result = withoutOverlongForms(result)
        return result == bytes ? nil : result
    }

    /// The value of the next `digitCount` hexadecimal digits.
    private static func escaped(_ bytes: ArraySlice<UInt8>, digitCount: Int) -> Int? {
        let digits = bytes.prefix(digitCount)
        guard digits.count == digitCount else { return nil }
        var value = 0
        for digit in digits {
            guard let digit = Hexadecimal.value(of: digit) else { return nil }
            value = value << 4 | Int(digit)
        }
        return value
    }

    /// Replaces sequences of 2 to 6 bytes that stand for ASCII characters with these.
    private static func withoutOverlongForms(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let lead = rest.first {
            let byteCount: Int? =
                switch lead {
                case 0xC0, 0xC1: 2
                case 0xE0: 3
                case 0xF0: 4
                case 0xF8: 5
                case 0xFC: 6
                default: nil
                }
            let continuation = rest.dropFirst().prefix((byteCount ?? 1) - 1).prefix { $0 & 0xC0 == 0x80 }
            let value = continuation.reduce(Int(lead & 1)) { $0 << 6 | Int($1 & 0x3F) }
            let isOverlong = continuation.count + 1 == byteCount && value < 0x80
            result.append(isOverlong ? UInt8(value) : lead)
            rest = rest.dropFirst(isOverlong ? continuation.count + 1 : 1)
        }
        return result
    }
}

/// A path that isn't portable across systems.
package struct PortableNameError: Error, Hashable {
    /// Why a path was refused.
    package enum Reason: Hashable, CaseIterable {
        /// Windows drops a trailing dot, so that two names denote one file.
        case trailingDot
        /// Windows also drops a trailing space.
        case trailingSpace
        /// `CON`, `NUL` and others denote devices on Windows.
        case reservedDeviceName
        /// `C:` in a folder's name leads elsewhere in programs that join paths carelessly, and so does `a:b.txt`: the
        /// file `b.txt` on drive `a:` (Microsoft, “Naming Files, Paths, and Namespaces”).
        case driveLetter
        /// `index.html::$DATA` is the file `index.html` on NTFS.
        case streamType
        /// `%2e%2e` becomes `..` in a program that decodes once too often.
        case encodedTraversal
    }

    package let path: BundlePath
    package let reason: Reason
}

extension PortableNameError: CustomStringConvertible {
    /// One sentence that names the path and the problem.
    package var description: String {
        "“\(Printable.text(path.string))” \(explanation)"
    }

    private var explanation: String {
        switch reason {
        case .trailingDot: "has a component that ends in a dot, which Windows drops"
        case .trailingSpace: "has a component that ends in a space, which Windows drops"
        case .reservedDeviceName: "has a component that is a device's name on Windows"
        case .driveLetter: "has a component that starts with a letter and a colon, which Windows takes for a drive"
        case .streamType: "has a component that names a stream of another file on Windows"
        case .encodedTraversal: "has an encoded dot or slash"
        }
    }
}
