import Foundation

// CryptoExtras would add BoringSSL to an app on Apple's systems, which have RSA in Security.
#if canImport(Security)
    import Security
#elseif RSA
    import CryptoExtras
#endif

/// A key of `rsassa-pss-sha256`. A value type; safe to share between threads.
package struct RSAPublicKey: Sendable {
    /// The least size that the specification permits (4.2), in bits.
    private static let minimumBitCount = 2_048
    /// What says in a key's DER that it is one of RSA: the algorithm's identifier of RFC 3279 §2.3.1, with its parameters.
    private static let algorithm: [UInt8] = [0x30, 13, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 5, 0]

    /// The key in DER (PKCS #1).
    let derRepresentation: Data

    /// Nil when `pem` isn't a public key of RSA (RFC 7468 §13) with at least 2,048 bits.
    init?(pem: String) {
        guard let der = Self.der(inPEM: pem), let key = Self.key(inInformation: der),
            let bitCount = Self.bitCount(of: key), bitCount >= Self.minimumBitCount
        else { return nil }
        derRepresentation = key
    }

    private static func der(inPEM pem: String) -> [UInt8]? {
        let lines = pem.split(whereSeparator: \.isNewline)
        guard lines.count > 2, lines.first == "-----BEGIN PUBLIC KEY-----", lines.last == "-----END PUBLIC KEY-----"
        else { return nil }
        return Data(base64Encoded: lines.dropFirst().dropLast().joined()).map(Array.init)
    }

    /// The key within a SubjectPublicKeyInfo (RFC 5280 §4.1): a sequence of the algorithm and a string of bits. Both are longer than 255
    /// bytes for keys of the least size, so that their lengths have two bytes.
    private static func key(inInformation der: [UInt8]) -> Data? {
        let start = 4 + algorithm.count
        guard der.count > start + 5, der.count < 1 << 16, content(of: 0x30, at: 0, in: der) == 4,
            der[4..<start].elementsEqual(algorithm), content(of: 3, at: start, in: der) == start + 4,
            // All bits of the last byte are used.
            der[start + 4] == 0
        else { return nil }
        return Data(der[(start + 5)...])
    }

    /// The position of the content of a value that ends with `der`; nil when it isn't one of this kind.
    private static func content(of tag: UInt8, at position: Int, in der: [UInt8]) -> Int? {
        let byteCount = Int(der[position + 2]) << 8 | Int(der[position + 3])
        let isWhole = der[position] == tag && der[position + 1] == 0x82 && byteCount == der.count - position - 4
        return isWhole ? position + 4 : nil
    }
}

#if canImport(Security)
    extension RSAPublicKey {
        /// Whether the key has made `signature` over `payload`, with a salt as long as the digest, as implementations of TUF sign.
        func isValid(_ signature: [UInt8], of payload: [UInt8]) -> Bool {
            guard let key = Self.key(of: derRepresentation) else { return false }
            return SecKeyVerifySignature(
                key,
                .rsaSignatureMessagePSSSHA256,
                Data(payload) as CFData,
                Data(signature) as CFData,
                nil
            )
        }

        private static func bitCount(of der: Data) -> Int? {
            key(of: der).map { 8 * SecKeyGetBlockSize($0) }
        }

        /// Made for each use: Security's type isn't `Sendable`.
        private static func key(of der: Data) -> SecKey? {
            let attributes: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic,
            ]
            return SecKeyCreateWithData(der as CFData, attributes as CFDictionary, nil)
        }
    }
#elseif RSA
    extension RSAPublicKey {
        /// Whether the key has made `signature` over `payload`, with a salt as long as the digest, as implementations of TUF sign.
        func isValid(_ signature: [UInt8], of payload: [UInt8]) -> Bool {
            guard let key = try? _RSA.Signing.PublicKey(derRepresentation: derRepresentation) else { return false }
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: payload, padding: .PSS)
        }

        private static func bitCount(of der: Data) -> Int? {
            (try? _RSA.Signing.PublicKey(derRepresentation: der))?.keySizeInBits
        }
    }
#else
    // Keys of RSA are skipped, as those of a type that nobody knows.
    extension RSAPublicKey {
        func isValid(_ signature: [UInt8], of payload: [UInt8]) -> Bool { false }

        private static func bitCount(of der: Data) -> Int? { nil }
    }
#endif
