import Crypto
import Foundation

/// An X.509 certificate (RFC 5280 §4.1) that its own key has signed.
package enum SelfSignedCertificate {
    /// Encodes one in PEM.
    ///
    /// - Parameters:
    ///   - subject: The common name of both the subject and the issuer.
    ///   - hosts: The names and addresses of version 4 that it is for.
    package static func pem(
        subject: String,
        hosts: [String] = ["localhost", "127.0.0.1"],
        validFrom start: Date,
        days: Int,
        key: P256.Signing.PrivateKey
    ) throws -> String {
        let certificate = try der(subject: subject, hosts: hosts, validFrom: start, days: days, key: key)
        let lines = Data(certificate).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
    }

    private static func der(
        subject: String,
        hosts: [String],
        validFrom start: Date,
        days: Int,
        key: P256.Signing.PrivateKey
    ) throws -> [UInt8] {
        let name = sequence(element(.set, sequence(commonName, element(.utf8String, Array(subject.utf8)))))
        let unsigned = sequence(
            element(.explicit(0), element(.integer, [2])),
            element(.integer, [1] + (0..<15).map { _ in UInt8.random(in: 0...255) }),
            algorithm,
            name,
            sequence(time(start), time(start + TimeInterval(days) * 86_400)),
            name,
            Array(key.publicKey.derRepresentation),
            element(.explicit(3), sequence(alternativeNames(hosts), basicConstraints))
        )
        let signature = try key.signature(for: unsigned)
        // A bit string begins with the number of its unused bits.
        return sequence(unsigned, algorithm, element(.bitString, [0] + Array(signature.derRepresentation)))
    }

    /// The types of X.690 that occur, by their identifier octets.
    private enum Tag {
        case boolean, integer, bitString, octetString, objectIdentifier, utf8String, utcTime, sequence, set
        case explicit(UInt8)
        case implicit(UInt8)

        var octet: UInt8 {
            switch self {
            case .boolean: 0x01
            case .integer: 0x02
            case .bitString: 0x03
            case .octetString: 0x04
            case .objectIdentifier: 0x06
            case .utf8String: 0x0c
            case .utcTime: 0x17
            case .sequence: 0x30
            case .set: 0x31
            case .explicit(let number): 0xa0 | number
            case .implicit(let number): 0x80 | number
            }
        }
    }

    /// ecdsa-with-SHA256 (RFC 5758 §3.2).
    private static let algorithm = sequence(
        element(.objectIdentifier, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])
    )
    private static let commonName = element(.objectIdentifier, [0x55, 0x04, 0x03])

    /// RFC 5280 §4.2.1.6: dNSNames and iPAddresses.
    private static func alternativeNames(_ hosts: [String]) -> [UInt8] {
        let names = hosts.map { host in
            let octets = host.split(separator: ".").compactMap { UInt8($0) }
            return octets.count == 4 ? element(.implicit(7), octets) : element(.implicit(2), Array(host.utf8))
        }
        return sequence(
            element(.objectIdentifier, [0x55, 0x1d, 0x11]),
            element(.octetString, element(.sequence, Array(names.joined())))
        )
    }

    /// RFC 5280 §4.2.1.9: it may issue certificates, its own.
    private static let basicConstraints = sequence(
        element(.objectIdentifier, [0x55, 0x1d, 0x13]),
        element(.boolean, [0xff]),
        element(.octetString, sequence(element(.boolean, [0xff])))
    )

    /// UTCTime (RFC 5280 §4.1.2.5.1): year without century, month, day, hour, minute, second.
    private static func time(_ date: Date) -> [UInt8] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        let numbers = [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second]
        let digits = numbers.map { String(format: "%02d", ($0 ?? 0) % 100) }
        return element(.utcTime, Array((digits.joined() + "Z").utf8))
    }

    private static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(.sequence, Array(elements.joined())) }

    /// Identifier, length and contents (X.690 §8.1).
    private static func element(_ tag: Tag, _ contents: [UInt8]) -> [UInt8] {
        let count = contents.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xff)]
            }
        return [tag.octet] + length + contents
    }
}
