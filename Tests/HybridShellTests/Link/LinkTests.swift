import BundleModel
import BundleTesting
import Foundation
import OfflineBundles
import Testing

@testable import HybridShell

@Suite("The link to the network")
struct LinkTests {
    @Test(
        "there is no link only where no packet can leave, and no origin is on the machine",
        arguments: [
            (true, true, "https://m.example.com/", "", true), (false, true, "https://m.example.com/", "", true),
            (true, false, "https://m.example.com/", "", true), (false, false, "https://m.example.com/", "", false),
            (false, false, "http://127.0.0.1:8080/", "", true), (false, false, "http://[::1]/", "", true),
            (false, false, "http://shop.localhost/", "", true),
            (false, false, "https://m.example.com/", #"{"connectTo": "127.0.0.1:8443"}"#, true),
            (false, false, "https://m.example.com/", #"{"connectTo": "192.0.2.1"}"#, false),
        ]
    )
    func decision(_ isAvailable: Bool, _ hasInterface: Bool, _ origin: String, _ rule: String, _ isUp: Bool) throws {
        let network = rule.isEmpty ? "" : #", "network": {"rules": [\#(rule)]}"#
        let text = #"{"name":"shop","version":"1.0.0","origins":[{"url":"\#(origin)","path":"/"}]\#(network)}"#
        let manifest = try BundleManifest.parse(Array(text.utf8)).manifest
        let decision = LinkDecision.isUp(
            isAvailable: isAvailable,
            hasInterface: hasInterface,
            targets: LinkTargets([manifest]),
            isLocal: { $0 != "m.example.com" && Machine.isHost($0) }
        )
        #expect(decision == isUp)
    }

    @Test(
        "the machine knows its own addresses",
        arguments: [
            ("localhost", true), ("a.localhost", true), ("127.0.0.1", true), ("127.8.8.8", true), ("127.1", true),
            ("::1", true), ("::ffff:127.0.0.1", true), ("0.0.0.0", true), ("192.0.2.1", false), ("2001:db8::1", false),
            ("nowhere.invalid", false),
        ]
    )
    func machine(_ host: String, _ isLocal: Bool) {
        #expect(Machine.isHost(host) == isLocal)
    }

    @Test("the badge goes by the link until a response says more")
    func badge() {
        let state = ConnectionState()
        let changes = Monitor<[Bool]>([])
        state.observe { isOffline in changes.update { $0.append(isOffline) } }
        state.note(hasLink: false)
        state.note(ResponseSource(.active))
        state.note(hasLink: true)
        state.note(ResponseSource(.stale))
        #expect(changes.state == [true, false, true])
    }
}
