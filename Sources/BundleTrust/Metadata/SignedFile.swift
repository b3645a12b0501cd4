import BundleModel
import Crypto
import Foundation

/// The length and the hashes of a file, as signed. A value type; safe to share between threads.
package struct SignedFile: Sendable {
    /// The number of bytes; nil when it isn't given.
    package let byteCount: Int?
    /// SHA-256, in hexadecimal digits, if it is given.
    package let sha256: ExactString?
    /// SHA-512, in hexadecimal digits, if it is given.
    package let sha512: ExactString?
    /// Whether there are hashes, also of algorithms that are unknown here.
    private let hasHashes: Bool

    /// - Throws: `BundleError` when the members aren't valid; hashes that are given aren't none.
    init(byteCount: JSONElement?, hashes: JSONElement?) throws(BundleError) {
        self.byteCount = try byteCount?.integer(from: 0)
        hasHashes = hashes != nil
        var texts: [ExactString: ExactString] = [:]
        for (name, element) in try hashes?.members(atMost: TrustLimits.hashCount) ?? [] {
            texts[ExactString(name)] = ExactString(try element.text(atMost: TrustLimits.hashByteCount))
        }
        if let hashes, texts.isEmpty { throw hashes.refused("has no hash") }
        sha256 = texts["sha256"]
        sha512 = texts["sha512"]
    }

    /// Checks all bytes of the file.
    ///
    /// - Parameter name: The file's name in messages.
    /// - Throws: ``TrustError`` with `contentMismatch`, `tooLarge` or `unsupportedHash`.
    package func verify(_ bytes: [UInt8], named name: String) throws(TrustError) {
        var check = try SignedFileCheck(of: self, named: name)
        try check.update(bytes)
        try check.finish()
    }

    /// Whether there are hashes, all of algorithms that are unknown here.
    fileprivate var hasUnknownHashesOnly: Bool { hasHashes && sha256 == nil && sha512 == nil }
}

/// Compares a file with what is signed while it arrives, so that no more is read than that. A value type that one thread uses.
package struct SignedFileCheck {
    private let file: SignedFile
    private let name: String
    private var byteCount = 0
    private var sha256: SHA256?
    private var sha512: SHA512?

    /// Begins with no bytes.
    ///
    /// - Parameter name: The file's name in messages.
    /// - Throws: ``TrustError`` with `unsupportedHash` when there are hashes, and none of an algorithm that is known here.
    package init(of file: SignedFile, named name: String) throws(TrustError) {
        guard !file.hasUnknownHashesOnly else {
            throw TrustError(.unsupportedHash, name, "has hashes of unknown kinds alone; SHA-256 and SHA-512 are known")
        }
        self.file = file
        self.name = name
        sha256 = file.sha256.map { _ in SHA256() }
        sha512 = file.sha512.map { _ in SHA512() }
    }

    /// Takes the next bytes.
    ///
    /// - Throws: ``TrustError`` with `tooLarge` as soon as there are more than are signed.
    package mutating func update(_ bytes: some DataProtocol) throws(TrustError) {
        byteCount += bytes.count
        if let expected = file.byteCount, byteCount > expected {
            throw TrustError(.tooLarge, name, "has more than the \(expected) bytes that are signed")
        }
        sha256?.update(data: bytes)
        sha512?.update(data: bytes)
    }

    /// Compares all that was taken.
    ///
    /// - Throws: ``TrustError`` with `contentMismatch`.
    package func finish() throws(TrustError) {
        if let expected = file.byteCount, byteCount != expected {
            throw TrustError(.contentMismatch, name, "has \(byteCount) bytes; \(expected) are signed")
        }
        try compare(file.sha256, sha256.map { Hexadecimal.string(of: $0.finalize()) }, "SHA-256")
        try compare(file.sha512, sha512.map { Hexadecimal.string(of: $0.finalize()) }, "SHA-512")
    }

    private func compare(_ signed: ExactString?, _ found: String?, _ algorithm: String) throws(TrustError) {
        guard let signed, let found, signed != ExactString(found) else { return }
        let text = Printable.text(signed.string)
        throw TrustError(.contentMismatch, name, "has \(algorithm) \(found); \(text) is signed")
    }
}
