import BundleStore

/// Rules for the names of files that are taken in, on top of those that make a ``BundleStore/BundlePath``: a bundle that is
/// exported has to come out the same on every system, and no part of a name may mean something else after one more
/// decoding.
///
/// The characters `<>:"|?*` are allowed though Windows forbids them: manuals of Perl and C++ and mirrors of web sites have
/// them in the names of their pages, and Windows refuses such a file by itself instead of writing another one.
enum PortableName {
    /// - Throws: ``PortableNameError`` for the first component that breaks a rule.
    static func check(_ path: BundlePath) throws(PortableNameError) {
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
        switch component.last {
        case UInt8(ascii: "."): return .trailingDot
        case UInt8(ascii: " "): return .trailingSpace
        default: return isReserved(component) ? .reservedDeviceName : nil
        }
    }

    /// Microsoft, “Naming Files, Paths, and Namespaces”: with or without an extension, in any case. Spaces before the
    /// extension don't count.
    private static func isReserved(_ component: UnsafeBufferPointer<UInt8>) -> Bool {
        // Most components are told by their first letter.
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

    /// Whether decoding percent escapes, once or several times, gives `.` or `..`, or a separator that wasn't there.
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

    /// Nil when there is no escape. The overlong forms of `.`, `/` and `\`, which careless decoders take for them, are
    /// taken for them here.
    private static func decodedOnce(_ bytes: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let value = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16),
                bytes[index + 1] != UInt8(ascii: "+")
            {
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
            if result.count >= 2, result[result.count - 2] & 0xFE == 0xC0, let last = result.last, last & 0xC0 == 0x80 {
                let value = result[result.count - 2] << 6 | last & 0x3F
                result.replaceSubrange(result.count - 2..<result.count, with: [value])
            }
        }
        return result == bytes ? nil : result
    }
}
