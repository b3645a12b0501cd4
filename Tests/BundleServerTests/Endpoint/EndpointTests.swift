import BundleServing
import BundleStore
import BundleTesting
import Testing

@testable import BundleServer

@Suite("BundleEndpoint")
struct EndpointTests {
    @Test("the response with a file is exactly its head and its bytes")
    func get() async throws {
        try await withShop { endpoint in
            let response = try await endpoint.get("/shop/app.js")
            #expect(response.statusLine == "HTTP/1.1 200 OK")
            #expect(response.text == "run()")
            #expect(response["content-length"] == "5")
            #expect(response["content-type"]?.hasPrefix("text/javascript") == true)
            #expect(response["x-content-type-options"] == "nosniff")
            #expect(response["etag"] != nil)
            #expect(response["cache-status"]?.contains("hit") == true)
            #expect(response["date"]?.hasSuffix(" GMT") == true)
            #expect(response["server"] == nil)
            #expect(response["transfer-encoding"] == nil)
            #expect(response["connection"] == nil)
        }
    }

    @Test("requests on one connection get responses one after the other, HEAD included")
    func keepAlive() async throws {
        try await withShop { endpoint in
            try await withRawConnection(to: endpoint.port) { connection in
                let head = try await connection.request("HEAD /shop/app.js HTTP/1.1", ["Host: localhost"])
                #expect(head.status == 200)
                #expect(head["content-length"] == "5")
                let response = try await connection.get("/shop/app.js")
                #expect(response.text == "run()")
                let unchanged = try await connection.get("/shop/app.js", ["If-None-Match: \(response["etag"] ?? "")"])
                #expect(unchanged.status == 304)
                #expect(unchanged["content-length"] == nil)
                #expect(unchanged["transfer-encoding"] == nil)
                let part = try await connection.get("/shop/app.js", ["Range: bytes=1-2"])
                #expect(part.status == 206)
                #expect(part.text == "un")
                #expect(part["content-range"] == "bytes 1-2/5")
                let beyond = try await connection.get("/shop/app.js", ["Range: bytes=9-"])
                #expect(beyond.status == 416)
                let parts = try await connection.get("/shop/app.js", ["Range: bytes=0-0,4-4"])
                #expect(parts.status == 206)
                #expect(parts["content-type"]?.hasPrefix("multipart/byteranges") == true)
            }
        }
    }

    @Test("pipelined requests get responses in order")
    func pipelining() async throws {
        try await withShop { endpoint in
            try await withRawConnection(to: endpoint.port) { connection in
                try await connection.send(
                    "GET /shop/app.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        + "HEAD /shop/app.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        + "GET /shop/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
                )
                #expect(try await connection.response().text == "run()")
                #expect(try await connection.response(toHead: true).status == 200)
                #expect(try await connection.response().status == 504)
            }
        }
    }

    @Test(
        "paths lead to the bundle's files and redirects",
        arguments: [
            ("/shop/", 200), ("/shop/folder/", 200), ("/shop/folder", 301), ("/other/app.js", 404), ("/app.js", 404),
            ("/shop/%2e%2e/app.js", 404), ("/shop/app.js?x=1", 200),
        ]
    )
    func paths(_ path: String, _ status: Int) async throws {
        try await withShop { endpoint in
            let response = try await endpoint.get(path)
            #expect(response.status == status)
            #expect(response["cache-status"] != nil)
            if status == 301 { #expect(response["location"] == "folder/") }
        }
    }

    @Test("a bundle mounted at the root is served there, and no more under its name")
    func mount() async throws {
        try await withStore { store in
            try store.installShop()
            let mount = try #require(Mount("shop=/"))
            try await withEndpoint(store, configure: { $0.addresses.mounts = [mount] }) { endpoint async throws in
                #expect(try await endpoint.get("/app.js").text == "run()")
                #expect(try await endpoint.get("/shop/app.js").text != "run()")
            }
        }
    }

    @Test("other methods need the origin, and OPTIONS lists those that a file allows")
    func methods() async throws {
        try await withShop { endpoint in
            try await withRawConnection(to: endpoint.port) { connection in
                let post = try await connection.request(
                    "POST /shop/app.js HTTP/1.1",
                    ["Host: localhost", "Content-Length: 0"]
                )
                #expect(post.status == 504)
                let options = try await connection.request("OPTIONS /shop/app.js HTTP/1.1", ["Host: localhost"])
                #expect(options.status == 204)
                #expect(options["allow"] == "GET, HEAD, OPTIONS")
                #expect(options["content-length"] == nil)
                #expect(options["transfer-encoding"] == nil)
                #expect(try await connection.get("/shop/app.js").status == 200)
            }
        }
    }

    @Test("a short request body is discarded, and the connection stays open")
    func shortBody() async throws {
        try await withShop { endpoint in
            try await withRawConnection(to: endpoint.port) { connection in
                try await connection.send("POST /shop/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello")
                #expect(try await connection.response().status == 504)
                #expect(try await connection.get("/shop/app.js").text == "run()")
            }
        }
    }

    @Test(
        "a request body that may be endless is not read: the response ends the connection",
        arguments: [
            "Content-Length: 1048577", "Content-Length: 5\r\nExpect: 100-continue",
            "Transfer-Encoding: chunked\r\nExpect: 100-continue",
        ]
    )
    func longBody(_ fields: String) async throws {
        try await withShop { endpoint in
            try await withRawConnection(to: endpoint.port) { connection in
                try await connection.send("POST /shop/a HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n")
                let response = try await connection.response()
                #expect(response.status == 504)
                #expect(response["connection"] == "close")
                #expect(try await connection.rest().isEmpty)
            }
        }
    }

    @Test("a port that is taken is refused in one line")
    func portInUse() async throws {
        try await withShop { first in
            try await withStore { store in
                var configuration = BundleEndpoint.Configuration()
                configuration.address = .tcp(host: "127.0.0.1", port: first.port)
                let second = BundleEndpoint(
                    store,
                    configuration: configuration,
                    transport: UnreachableNetwork(),
                    logger: RecordedLog().logger
                )
                let error = await #expect(throws: BundleError.self) {
                    try await second.run(gracefulShutdownSignals: []) { _ in }
                }
                #expect(error?.code == .invalidArgument)
                #expect(
                    error?.message == "could not listen on 127.0.0.1:\(first.port): address in use; "
                        + "choose another port"
                )
            }
        }
    }

    @Test("an unknown host is refused in one line")
    func unknownHost() async throws {
        try await withStore { store in
            var configuration = BundleEndpoint.Configuration()
            configuration.address = .tcp(host: "192.0.2.1", port: 8080)
            let endpoint = BundleEndpoint(
                store,
                configuration: configuration,
                transport: UnreachableNetwork(),
                logger: RecordedLog().logger
            )
            let error = await #expect(throws: BundleError.self) {
                try await endpoint.run(gracefulShutdownSignals: []) { _ in }
            }
            #expect(error?.message.hasPrefix("could not listen on 192.0.2.1:8080: this machine has no such") == true)
        }
    }
}

private func withShop(_ body: (RunningEndpoint) async throws -> Void) async throws {
    try await withStore { store in
        try store.installShop()
        try await withEndpoint(store, body)
    }
}
