import BundleStore
import CBundle
import Foundation
import Testing

@testable import BundleCInterface

@Suite("Releases, their health and their history from C")
struct HealthTests {
    @Test("a program goes back to a version, holds, retries, confirms, marks bad, and reads what has happened")
    func calls() throws {
        try withSampleClient { client, _ in
            var error: OpaquePointer?
            #expect(ob_confirm(client, "shop", nil, &error) == OB_OK)
            #expect(ob_confirm(client, "shop", "1.0.0", nil) == OB_INVALID_ARGUMENT)
            #expect(ob_roll_back_to(client, "shop", "1.0.0", &error) == OB_OK)
            #expect(ob_roll_back_to(client, "shop", "1.2.0", nil) == OB_NOT_FOUND)
            #expect(ob_hold(client, "shop", &error) == OB_OK)
            #expect(ob_unhold(client, "shop", &error) == OB_OK)
            #expect(ob_retry(client, "shop", &error) == OB_OK)
            #expect(ob_mark_bad(client, "shop", "1.1.0", "it stays “white”", &error) == OB_OK)
            #expect(ob_hold(client, "news", nil) == OB_NOT_FOUND)
            #expect(ob_retry(client, "no name", nil) == OB_INVALID_ARGUMENT)
            #expect(error == nil)
            let report = try #require(ob_history(client, "shop", &error))
            defer { ob_report_free(report) }
            #expect(ob_report_count(report) == 0)
            let history = String(cString: ob_report_json(report))
            #expect(history.contains(#""kind":"rolledBack""#) && history.contains("it stays “white”"))
            #expect(ob_history(client, "news", nil) == nil)
        }
    }

    @Test("an earlier release that is revoked gives nothing any more, once the program looks for changes")
    func revoked() throws {
        try withSampleClient { client, store in
            let url = "https://shop.example/1.0.0.js"
            let resource = ob_resolve(client, url)
            #expect(resource.map { String(cString: ob_resource_version($0)) } == "1.0.0")
            ob_resource_free(resource)
            let version = BundleVersion("1.0.0")
            let withdrawal = Withdrawal(of: version, .revoked, since: Date(timeIntervalSince1970: 0))
            try store.setWithdrawals([withdrawal], of: BundleName("shop"))
            ob_refresh(client)
            #expect(ob_resolve(client, url) == nil)
        }
    }

    @Test("options that aren't what they should be are refused", arguments: [("1.x", "now"), ("1.0.0", "tomorrow")])
    func options(_ shell: String, _ activation: String) throws {
        let client = shell.withCString { shell in
            activation.withCString { activation in
                var options = ob_options()
                options.size = MemoryLayout<ob_options>.size
                options.shell_version = shell
                options.activation = activation
                return ob_open("/nonexistent", &options, nil)
            }
        }
        #expect(client == nil)
    }
}
