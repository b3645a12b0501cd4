import BundleStore

extension PercentEncoding {
    /// Encodes what isn't allowed in a path or query (RFC 3986 §3.3, §3.4) and leaves everything else as it is.
    ///
    /// Browsers send `[`, `|` and others unencoded. Foundation's parser encodes them too, but then also every `%`, so
    /// that another resource would be requested from the origin.
    package static func completing(_ text: String) -> String {
        // Most need nothing.
        if text.utf8.allSatisfy({ isPathByte($0) }) { return text }
        let scalars = text.unicodeScalars
        var completed = String.UnicodeScalarView()
        for index in scalars.indices {
            let isAllowed = scalars[index] == "%" ? startsSequence(scalars[index...]) : isAllowed(scalars[index])
            if isAllowed {
                completed.append(scalars[index])
            } else {
                completed.append(contentsOf: encode(component: String(scalars[index])).unicodeScalars)
            }
        }
        return String(completed)
    }

    private static func startsSequence(_ scalars: Substring.UnicodeScalarView) -> Bool {
        let digits = scalars.dropFirst().prefix(2)
        return digits.count == 2 && digits.allSatisfy { $0.isASCII && $0.properties.isASCIIHexDigit }
    }

    /// `pchar` without percent-encoded sequences, and `/` and `?`.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        UInt8(exactly: scalar.value).map(isPathByte) ?? false
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9": true
        case "-", ".", "_", "~", "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "=", ":", "@", "/", "?": true
        default: false
        }
    }
}
