import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import bundlectl

@Suite("The fields of a webhook")
struct WebhookFieldsTests {
    private func read(_ content: String) async throws -> HTTPFields {
        try await withTemporaryDirectory { directory in
            let path = try directory.write(content, to: "fields")
            #expect(chmod(path, 0o600) == 0)
            return try WebhookFields.read(path)
        }
    }

    @Test("are the lines of a file")
    func lines() async throws {
        let fields = try await read("Authorization: Bearer abc:d\n\nX-Team: shop\n")
        #expect(fields[.authorization] == "Bearer abc:d")
        #expect(fields.count == 2)
    }

    @Test(
        "are none that the webhook sets itself, and a refusal doesn't tell a value",
        arguments: [
            "Authorization Bearer secret", "Content-Type: secret", "Content-Length: 1secret",
            "Host: secret", "User-Agent: secret",
            "Connection: secret", "Transfer-Encoding: secret", "Webhook-Id: secret",
            "webhook-signature: secret", ": secret",
            "X-A: secret\u{7F}", "X-A: sécret",
        ]
    )
    func refused(_ line: String) async throws {
        let error = await #expect(throws: BundleError.self) { try await read("X-A: 1\n\(line)\n") }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("line 2 of") == true)
        #expect(error?.message.contains("cret") == false)
    }
}
