import BundleTesting
import Testing

@testable import BundleServer

@Suite("Request targets at the endpoint")
struct EndpointTargetTests {
    @Test("the host of a mapped origin reaches its bundle, with the default port or without")
    func mappedHost() async throws {
        try await withShopConnection { connection async throws in
            #expect(try await connection.get("/shop/app.js", host: "m.example.com").text == "run()")
            #expect(try await connection.get("/shop/app.js", host: "M.EXAMPLE.COM:443").text == "run()")
            #expect(try await connection.get("/app.js", host: "m.example.com").status == 404)
        }
    }

    @Test(
        "an absolute-form target takes precedence over Host",
        arguments: [
            ("https://m.example.com/shop/app.js", 200), ("HTTPS://M.example.com:443/shop/app.js?x=/y", 200),
            ("http://m.example.com/shop/app.js", 404), ("https://m.example.com/other/app.js", 404),
            ("https://m.example.com", 404), ("https://elsewhere.example/shop/app.js", 421),
        ]
    )
    func absoluteForm(_ target: String, _ status: Int) async throws {
        try await withShopConnection { connection in
            let response = try await connection.request("GET \(target) HTTP/1.1", ["Host: ignored"])
            #expect(response.status == status)
            if status == 200 { #expect(response.text == "run()") }
        }
    }

    @Test("HTTP/1.0 works without Host and ends the connection")
    func http10() async throws {
        try await withShopConnection { connection in
            let response = try await connection.request("GET /shop/app.js HTTP/1.0")
            #expect(response.statusLine == "HTTP/1.0 200 OK")
            #expect(response["connection"] == "close")
            #expect(response.text == "run()")
            #expect(try await connection.rest().isEmpty)
        }
    }

    @Test("Connection: close is honoured whatever its case")
    func close() async throws {
        try await withShopConnection { connection in
            let response = try await connection.get("/shop/app.js", ["Connection: Close"])
            #expect(response["connection"] == "close")
            #expect(response.text == "run()")
            #expect(try await connection.rest().isEmpty)
        }
    }

    @Test("OPTIONS * lists the allowed methods")
    func optionsAsterisk() async throws {
        try await withShopConnection { connection in
            let response = try await connection.request("OPTIONS * HTTP/1.1", ["Host: localhost"])
            #expect(response.status == 204)
            #expect(response["allow"] == "GET, HEAD, OPTIONS")
        }
    }
}
