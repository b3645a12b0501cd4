import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("Stored responses that are selected by request fields, at the endpoint")
struct EndpointVariantTests {
    @Test(
        "each client gets what its own fields select, however often they ask in turn",
        arguments: RequestWay.allCases,
        ["cookie", "user-agent", "accept", "x-theme"]
    )
    func inTurn(_ way: RequestWay, _ name: String) async throws {
        try await withStore { store in
            try store.installShop()
            let (network, field) = (ScriptedTransport(), try #require(HTTPField.Name(name)))
            network.response("https://m.example.com/shop/data.json") { request in
                let value = request.headerFields[field] ?? "nothing"
                return OriginResponse(.ok, [.cacheControl: "max-age=3600", .vary: name], "for \(value)")
            }
            try await withEndpoint(store, transport: network) { endpoint in
                try await endpoint.ask(way) { get async throws in
                    for _ in 0..<4 {
                        for value in ["user=1", "user=2"] {
                            let response = try await get("/data.json", "shop.localhost", [(name, value)])
                            #expect(response.text == "for \(value)")
                        }
                        #expect(try await get("/data.json", "shop.localhost", []).text == "for nothing")
                    }
                }
            }
            #expect(network.requests.count == 3)
        }
    }
}
