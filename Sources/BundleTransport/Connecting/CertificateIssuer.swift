import BundleModel

/// Who has issued a certificate (RFC 5280 §4.1.2.4), read from its DER (X.690), which the library for TLS doesn't do.
/// The bytes come from a server that isn't trusted.
enum CertificateIssuer {
    private static let sequence: UInt8 = 0x30
    private static let version: UInt8 = 0xA0
    private static let objectIdentifier: UInt8 = 0x06
    /// UTF8String, PrintableString and IA5String.
    private static let texts: Set<UInt8> = [0x0C, 0x13, 0x16]
    /// The attributes that name the issuer, the best first: commonName, organizationName.
    private static let attributes: [[UInt8]] = [[0x55, 0x04, 0x03], [0x55, 0x04, 0x0A]]

    /// The issuer's common name, otherwise its organisation, fit to be shown; nil when it has neither.
    static func name(ofDER bytes: [UInt8]) -> String? {
        var document = Elements(bytes[...])
        guard var certificate = document.next(sequence), var unsigned = certificate.next(sequence) else { return nil }
        if unsigned.tag == version { _ = unsigned.next() }
        // The serial number, and the signature's algorithm.
        guard unsigned.next() != nil, unsigned.next() != nil, let issuer = unsigned.next(sequence) else { return nil }
        return attributes.lazy.compactMap { text(of: $0, in: issuer) }.first
    }

    private static func text(of attribute: [UInt8], in name: Elements) -> String? {
        var name = name
        while var set = name.next() {
            while var pair = set.next() {
                guard pair.tag == objectIdentifier, let type = pair.next(), type.bytes.elementsEqual(attribute) else {
                    continue
                }
                guard let tag = pair.tag, texts.contains(tag), let value = pair.next() else { continue }
                return Printable.text(String(decoding: value.bytes, as: UTF8.self))
            }
        }
        return nil
    }

    /// Elements one after the other, or the contents of one.
    private struct Elements {
        private(set) var bytes: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
        }

        /// The identifier octet of the next one.
        var tag: UInt8? { bytes.first }

        /// The contents of the next one; nil at the end, for another tag, and for one that isn't well-formed.
        mutating func next(_ tag: UInt8? = nil) -> Elements? {
            var rest = bytes
            guard let identifier = rest.popFirst(), tag ?? identifier == identifier, let first = rest.popFirst() else {
                return nil
            }
            var count = Int(first)
            if first >= 0x80 {
                // The long form (X.690 §8.1.3.5); no certificate needs more than three octets.
                let octets = rest.prefix(Int(first & 0x7F))
                guard (1...3).contains(octets.count), octets.count == Int(first & 0x7F) else { return nil }
                count = octets.reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(octets.count)
            }
            guard count <= rest.count else { return nil }
            bytes = rest.dropFirst(count)
            return Elements(rest.prefix(count))
        }
    }
}
