import BundleStore
import BundleTesting
import Crypto
import Foundation
import Testing

@testable import BundlePublishing

/// Keys that are in a key store, which a function stands for.
struct StoredKeyTests {
    private static let key = P256.Signing.PrivateKey()

    /// How a key store writes a signature.
    enum Form: CaseIterable {
        case der, numbers, digits, base64, wrapped

        func bytes(_ signature: P256.Signing.ECDSASignature) -> [UInt8] {
            switch self {
            case .der: Array(signature.derRepresentation)
            case .numbers: Array(signature.rawRepresentation)
            case .digits: Array("\(Hexadecimal.string(of: signature.derRepresentation))\n".utf8)
            case .base64: Array(signature.rawRepresentation.base64EncodedString().utf8)
            case .wrapped:
                Array(signature.derRepresentation.base64EncodedString(options: .lineLength64Characters).utf8)
            }
        }
    }

    private static func publicKey() throws -> PublishedKey {
        try PublishedKey(reading: Array(key.publicKey.pemRepresentation.utf8), named: "key.pem")
    }

    /// The site's folder, which signs with the key store.
    private static func folder(_ site: SignedSite, _ form: Form = .der) -> KeyFolder {
        KeyFolder(site.keys.path, now: { SignedSite.start }) { command, payload, id throws(BundleError) in
            guard command == "sign", id == (try? publicKey())?.id, let signature = try? key.signature(for: payload)
            else { throw BundleError(.outputUnavailable, "another key") }
            return form.bytes(signature)
        }
    }

    @discardableResult
    private func rotate(_ folder: KeyFolder, _ role: KeyRole, _ site: SignedSite) throws -> [RotatedFeed] {
        try folder.change(
            KeyChange(.replacing(.stored(Self.publicKey(), command: "sign")), of: role),
            feeds: [site.path(of: "www")],
            passphrase: { _ in [] },
            newPassphrase: { _ in nil }
        )
    }

    @Test("a key in a key store takes the place of any key, and devices follow", arguments: KeyRole.allCases)
    func followed(_ role: KeyRole) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let device = try site.device()
            try site.publish(BundleVersion("1.0.0"))
            let folder = Self.folder(site)
            try rotate(folder, role, site)
            try site.publish(BundleVersion("1.1.0"), signing: site.signing(folder))
            #expect(try await site.follow(device).count == 2)
            let key = try #require(try folder.overview().keys.first { $0.isInKeyStore })
            #expect(key.roles == [role])
            #expect(key.publicKey.type == "ecdsa")
            #expect(try FileManager.default.attributesOfItem(atPath: key.path)[.posixPermissions] as? Int == 0o600)
            // Another rotation has it sign for the last time.
            _ = try folder.rotate(
                role,
                feeds: [site.path(of: "www")],
                passphrase: { _ in [] },
                newPassphrase: { _ in nil }
            )
            #expect(try await site.follow(device).count == 2)
        }
    }

    @Test("a signature is read in each form that key stores write", arguments: Form.allCases)
    func forms(_ form: Form) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let folder = Self.folder(site, form)
            try rotate(folder, .release, site)
            try site.publish(BundleVersion("1.1.0"), signing: site.signing(folder))
            #expect(try await site.follow(site.device()).count == 2)
        }
    }

    @Test(
        "nothing is changed when the key store signs with another key, or writes no signature",
        arguments: ["", "no signature", "MEUCIQD0", String(repeating: "00", count: 72)]
    )
    func wrong(_ output: String) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let before = try directory.snapshot()
            let folder = KeyFolder(site.keys.path, now: { SignedSite.start }) { _, _, _ in Array(output.utf8) }
            let error = #expect(throws: BundleError.self) { try rotate(folder, .release, site) }
            #expect(error?.code == .outputUnavailable)
            #expect(throws: BundleError.self) { try rotate(site.keys, .release, site) }
            #expect(try directory.snapshot() == before)
        }
    }
}
