import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import bundlectl

@Suite("A file with a secret")
struct SecretFileTests {
    @Test(
        "has it on its first line, without spaces at its ends",
        arguments: ["secret", "secret\n", "secret\r\n", " secret\t\n", "\n\nsecret\nmore\n"]
    )
    func line(_ content: String) async throws {
        try await withSecret(content, mode: 0o600) { path throws in
            #expect(try SecretFile.line(of: path) == "secret")
        }
    }

    @Test("is its owner's, and perhaps its group can read it", arguments: [0o400, 0o600, 0o440, 0o640])
    func permitted(_ mode: Int) async throws {
        try await withSecret("secret", mode: mode) { path throws in
            #expect(try SecretFile.line(of: path) == "secret")
        }
    }

    @Test(
        "that others can read, or more than the owner can write, is refused with the command that puts it right",
        arguments: [0o644, 0o604, 0o602, 0o601, 0o660, 0o620]
    )
    func refused(_ mode: Int) async throws {
        try await withSecret("secret", mode: mode) { path in
            let error = #expect(throws: BundleError.self) { try SecretFile.line(of: path) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("chmod u=rw,g-wx,o= \(path)") == true)
        }
    }

    @Test(
        "that is empty, too long or no text is refused",
        arguments: ["", "\n \n", String(repeating: "a", count: 9_000)]
    )
    func nothing(_ content: String) async throws {
        try await withSecret(content, mode: 0o600) { path in
            #expect(throws: BundleError.self) { try SecretFile.line(of: path) }
            try Data([0xFF, 0xFE]).write(to: URL(filePath: path))
            #expect(throws: BundleError.self) { try SecretFile.line(of: path) }
        }
    }

    @Test("that isn't there, or no file, is an input that can't be read", arguments: ["missing", "."])
    func unavailable(_ name: String) async throws {
        try await withTemporaryDirectory { directory in
            let error = #expect(throws: BundleError.self) { try SecretFile.line(of: directory.path(of: name)) }
            #expect(error?.code == .inputUnavailable)
            #expect(error?.message.contains(name) == true)
        }
    }

    private func withSecret(_ content: String, mode: Int, _ body: (String) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(content, to: "secret")
            let path = directory.path(of: "secret")
            #expect(chmod(path, mode_t(mode)) == 0)
            try body(path)
        }
    }
}
