import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("OriginServer")
struct OriginServerTests {
    @Test("a file comes with validators and a freshness lifetime")
    func file() async throws {
        try await withPublishedFolder { origin in
            let result = try await curl(origin.baseURL + "/app.js")
            #expect(result.head.hasPrefix("HTTP/1.1 200"))
            #expect(result.field("Content-Type") == "text/javascript; charset=utf-8")
            #expect(result.field("Cache-Control") == "max-age=60")
            #expect(result.field("ETag") != nil)
            #expect(result.field("Last-Modified") != nil)
            #expect(result.field("Date") == "Thu, 01 Jan 2026 00:00:00 GMT")
            #expect(result.body == "0123456789")
        }
    }

    @Test(
        "an unchanged file is answered with 304",
        arguments: [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")]
    )
    func notModified(_ validator: String, _ condition: String) async throws {
        try await withPublishedFolder { origin in
            let first = try await curl(origin.baseURL + "/app.js")
            let value = try #require(first.field(validator))
            let second = try await curl(origin.baseURL + "/app.js", ["-H", "\(condition): \(value)"])
            #expect(second.head.hasPrefix("HTTP/1.1 304"))
            #expect(second.body.isEmpty)
        }
    }

    @Test(
        "a range is answered as RFC 9110 says",
        arguments: [
            ("bytes=2-4", 206, "234"), ("bytes=7-", 206, "789"), ("bytes=-3", 206, "789"), ("bytes=8-99", 206, "89"),
            ("bytes=-99", 206, "0123456789"), ("bytes=10-", 416, ""), ("bytes=-0", 416, ""),
            ("bytes=4-2", 200, "0123456789"), ("bytes=0-1,3-4", 200, "0123456789"), ("lines=1-2", 200, "0123456789"),
            ("bytes=9223372036854775807-9223372036854775807", 416, ""),
        ]
    )
    func range(_ field: String, _ status: Int, _ body: String) async throws {
        try await withPublishedFolder { origin in
            let result = try await curl(origin.baseURL + "/app.js", ["-H", "Range: \(field)"])
            #expect(result.head.hasPrefix("HTTP/1.1 \(status)"))
            #expect(result.body == body)
        }
    }

    @Test("a range of a file that has changed brings the whole file")
    func ifRange() async throws {
        try await withPublishedFolder { origin in
            let tag = try #require(try await curl(origin.baseURL + "/app.js").field("ETag"))
            let same = try await curl(origin.baseURL + "/app.js", ["-H", "Range: bytes=5-", "-H", "If-Range: \(tag)"])
            #expect(same.body == "56789")
            let other = try await curl(origin.baseURL + "/app.js", ["-H", "Range: bytes=5-", "-H", "If-Range: \"x\""])
            #expect(other.body == "0123456789")
        }
    }

    @Test("what isn't published isn't found", arguments: ["/no.js", "/../secret", "/%2e%2e/secret", "/a%00b", "/%zz"])
    func notFound(_ path: String) async throws {
        try await withPublishedFolder { origin in
            let result = try await curl(origin.baseURL + path, ["--path-as-is"])
            #expect(result.head.hasPrefix("HTTP/1.1 404"))
        }
    }

    @Test("requests are recorded in order, with their fields")
    func recording() async throws {
        try await withPublishedFolder { origin in
            _ = try await curl(origin.baseURL + "/app.js?x=1", ["-H", "X-Test: 1"])
            _ = try await curl(origin.baseURL + "/none", ["--head"])
            try await origin.waitForRequests(2)
            #expect(origin.requestedPaths == ["/app.js?x=1", "/none"])
            #expect(origin.requests.map(\.method) == [.get, .head])
            let name = try #require(HTTPField.Name("X-Test"))
            #expect(origin.requests[0].headerFields[name] == "1")
            origin.forgetRequests()
            #expect(origin.requests.isEmpty)
        }
    }

    @Test("a connection is closed after exactly the bytes that were asked for", arguments: [0, 1, 100_000, 1_999_999])
    func closing(_ count: Int) async throws {
        try await withOriginServer { origin in
            origin.route("/big", to: ScriptedResponse(body: [UInt8](repeating: 65, count: 2_000_000)))
            origin.fail("/big", with: [.close(afterBodyBytes: count)], count: 1)
            let broken = try await ChildProcess.run("curl", ["-s", origin.baseURL + "/big"])
            #expect(broken.exitCode == 18)
            #expect(broken.outputBytes.count == count)
            let whole = try await ChildProcess.run("curl", ["-s", origin.baseURL + "/big"])
            #expect(whole.exitCode == 0)
            #expect(whole.outputBytes.count == 2_000_000)
        }
    }

    @Test("a connection is kept for the next request, unless the client closes it", arguments: ["keep-alive", "close"])
    func keptAlive(_ connection: String) async throws {
        try await withPublishedFolder { origin in
            let url = origin.baseURL + "/app.js"
            let options = ["-s", "-H", "Connection: \(connection)", "-w", " %{num_connects};"]
            let result = try await ChildProcess.run("curl", options + [url, url, url])
            let counts = connection == "close" ? [1, 1, 1] : [1, 0, 0]
            #expect(result.output == counts.map { "0123456789 \($0);" }.joined())
        }
    }

    @Test("a held request is answered when the latch opens")
    func holding() async throws {
        try await withOriginServer { origin in
            let latch = Latch()
            origin.route("/", to: ScriptedResponse("hello"))
            origin.fail("/", with: [.hold(latch)])
            let client = try ChildProcess("curl", ["-s", origin.baseURL + "/"])
            try await latch.waitForArrivals()
            #expect(client.output.isEmpty)
            latch.open()
            #expect(try await client.wait().output == "hello")
        }
    }

    @Test("a status, a lying length and chunks replace the real answer's")
    func otherFaults() async throws {
        try await withPublishedFolder { origin in
            origin.fail("/app.js", with: [.status(.internalServerError)], count: 1)
            #expect(try await curl(origin.baseURL + "/app.js").head.hasPrefix("HTTP/1.1 500"))
            origin.fail("/app.js", with: [.announceLength(3)], count: 1)
            #expect(try await curl(origin.baseURL + "/app.js").body == "012")
            origin.fail("/app.js", with: [.chunked], count: 1)
            let chunked = try await curl(origin.baseURL + "/app.js")
            #expect(chunked.field("Transfer-Encoding") == "chunked")
            #expect(chunked.field("Content-Length") == nil)
            #expect(chunked.body == "0123456789")
        }
    }

    @Test("a stopped origin refuses connections until it is started again, on the same port")
    func stopping() async throws {
        try await withPublishedFolder { origin in
            let url = origin.baseURL + "/app.js"
            await origin.stop()
            let refused = try await ChildProcess.run("curl", ["-s", url])
            #expect(refused.exitCode == 7)
            try await origin.start()
            #expect(origin.baseURL + "/app.js" == url)
            #expect(try await curl(url).body == "0123456789")
        }
    }
}

private func withPublishedFolder(_ body: (OriginServer) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
        let folder = try directory.write(tree: ["app.js": "0123456789", "index.html": "<p>"], to: "public")
        try directory.write("secret", to: "secret")
        try await withOriginServer(files: OriginFiles(folder: folder), clock: TestClock().read) { origin in
            try await body(origin)
        }
    }
}

private struct CurlResult {
    let head: String
    let body: String

    func field(_ name: String) -> String? {
        head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }
}

private func curl(_ url: String, _ options: [String] = []) async throws -> CurlResult {
    let output = try await ChildProcess.run("curl", ["-s", "-i", url] + options).output
    let parts = output.components(separatedBy: "\r\n\r\n")
    return CurlResult(head: parts[0], body: parts.dropFirst().joined(separator: "\r\n\r\n"))
}
