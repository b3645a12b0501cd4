import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import bundlectl

@Suite("The key of a webhook")
struct WebhookKeyTests {
    /// The test vector that is published with the Standard Webhooks specification.
    @Test("signs as the specification's example", arguments: ["whsec_", ""])
    func vector(_ prefix: String) throws {
        let key = try #require(WebhookKey(prefix + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = key.signature(
            of: Array(#"{"test": 2432232314}"#.utf8),
            identifier: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: "1614265330"
        )
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(
        "has 24 to 64 bytes in Base64",
        arguments: [(23, false), (24, true), (64, true), (65, false)]
    )
    func length(_ count: Int, _ isKey: Bool) {
        #expect(
            (WebhookKey("whsec_" + Data(repeating: 1, count: count).base64EncodedString()) != nil)
                == isKey
        )
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "whsec_", "a password that is long enough", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!",
        ]
    )
    func refused(_ text: String) async throws {
        #expect(WebhookKey(text) == nil)
        try await withTemporaryDirectory { directory in
            let path = try directory.write(text + "\n.", to: "secret")
            #expect(chmod(path, 0o600) == 0)
            let error = #expect(throws: BundleError.self) { try WebhookKey(file: path) }
            #expect(error?.code == .invalidArgument)
            #expect(text == WebhookKey.prefix || text.isEmpty || error?.message.contains(text) == false)
        }
    }
}
