import BundleServing
import BundleStore
import BundleTesting
import Testing

@testable import BundleServer

@Suite("Long heads")
struct RequestHeadLimitTests {
    @Test(
        "are accepted up to the limit, also on a migrated connection",
        arguments: [
            (["X-Long: " + String(repeating: "a", count: 199_000)], 206), ((0..<900).map { "X-\($0): a" }, 206),
            (["X-Long: " + String(repeating: "a", count: 200_000)], 431), ((0..<1_000).map { "X-\($0): a" }, 431),
        ]
    )
    func handedOn(_ fields: [String], _ status: Int) async throws {
        try await withStore { store in
            try store.installShop()
            let configure = { (configuration: inout BundleEndpoint.Configuration) in
                configuration.limits.head.byteCount = 200_000
                configuration.limits.head.fieldCount = 1_000
            }
            try await withEndpoint(store, configure: configure) { endpoint async throws in
                let response = try await endpoint.get("/shop/app.js", ["Range: bytes=0-0"] + fields)
                #expect(response.status == status)
            }
        }
    }
}
