import BundleStore

/// The first label of a bundle's own host: `shop` in `shop.localhost`. Pure; safe from any thread.
///
/// It is always a single label: `a.shop.localhost` would be same-site with `shop.localhost`, and could set cookies for
/// it (RFC 6265 §5.1.3). A name of letters, digits and hyphens is its own label. Any other becomes `n--` and its
/// characters, with `-d` for a dot, `-u` for an underscore and `-h` for a hyphen: `my.shop` is `n--my-dshop`. The same
/// applies to names that start with `n--` themselves or with `xn--`, which marks internationalized labels (RFC 5890
/// §2.3.2.1), and to those that end with a hyphen, which no label may (RFC 952). No two names share a label.
package enum HostLabel {
    /// The longest label in bytes (RFC 1035 §2.3.4).
    package static let maximumByteCount = 63

    private static let marker = "n--"
    private static let hyphen = UInt8(ascii: "-")

    /// The label of a bundle, or nil when it is too long.
    package static func label(of name: BundleName) -> String? {
        let label = isPlain(name.string) ? name.string : marker + escaped(name.string)
        return label.utf8.count <= maximumByteCount ? label : nil
    }

    /// The bundle with this label, in lower case; nil when no bundle can have it.
    package static func name(of label: some StringProtocol) -> BundleName? {
        let text = label.hasPrefix(marker) ? unescaped(label.utf8.dropFirst(marker.utf8.count)) : String(label)
        guard let name = text.flatMap(BundleName.init), Self.label(of: name) == String(label) else { return nil }
        return name
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") })
            && name.utf8.last != hyphen && !name.hasPrefix(marker) && !name.hasPrefix("xn--")
    }

    private static func escaped(_ name: String) -> String {
        var label: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "."): label += "-d".utf8
            case UInt8(ascii: "_"): label += "-u".utf8
            case hyphen: label += "-h".utf8
            default: label.append(byte)
            }
        }
        return String(decoding: label, as: UTF8.self)
    }

    private static func unescaped(_ bytes: some Collection<UInt8>) -> String? {
        var name: [UInt8] = []
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            guard byte == hyphen else {
                name.append(byte)
                continue
            }
            switch rest.next() {
            case UInt8(ascii: "d"): name.append(UInt8(ascii: "."))
            case UInt8(ascii: "u"): name.append(UInt8(ascii: "_"))
            case UInt8(ascii: "h"): name.append(hyphen)
            default: return nil
            }
        }
        return String(decoding: name, as: UTF8.self)
    }
}
