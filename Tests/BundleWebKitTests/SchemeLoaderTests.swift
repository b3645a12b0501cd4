import BundleModel
import BundleTesting
import Foundation
import HTTPTypes
import OfflineBundles
import Testing

@testable import BundleWebKit

@Suite("Tasks of a custom scheme")
@MainActor
struct SchemeLoaderTests {
    @Test(
        "a task is told the response, its data and the end, by the rules of WebKit",
        .timeLimit(.minutes(5)),
        arguments: [
            ("GET", "bundle://shop/app.js", [], [.head(200), .data, .finish], "script"),
            ("GET", "bundle://shop/app.js", [(name: "Range", value: "bytes=1-2")], [.head(206), .data, .finish], "cr"),
            ("HEAD", "bundle://shop/app.js", [], [.head(200), .finish], ""),
            ("GET", "bundle://shop/missing", [], [.fail], ""),
            ("GET", "bundle://other/app.js", [], [.fail], ""),
            ("GET", "bundle://", [], [.fail], ""),
            ("GET", "https://shop.example/app.js", [], [.fail], ""),
        ] as [(String, String, [(name: String, value: String)], [SimulatedTask.Call], String)]
    )
    func told(
        _ method: String,
        _ url: String,
        _ fields: [(name: String, value: String)],
        _ calls: [SimulatedTask.Call],
        _ content: String
    ) async throws {
        try await withTemporaryDirectory { folder in
            let loader = SchemeLoader(try Self.client(folder))
            let task = SimulatedTask()
            loader.start(task, method: method, url: url, fields: fields)
            try await eventually { task.hasEnded }
            #expect(task.calls == calls)
            #expect(task.breaches.isEmpty)
            #expect(loader.runningCount == 0)
            #expect(String(decoding: task.content, as: UTF8.self) == content)
        }
    }

    @Test(
        "a stopped task is never told anything again, at whichever moment it is stopped",
        .timeLimit(.minutes(5)),
        arguments: 0...3
    )
    func stopped(afterCalls count: Int) async throws {
        try await withTemporaryDirectory { folder in
            let network = ScriptedTransport()
            let source = AsyncStream<[UInt8]>.makeStream()
            network.response("https://m.example.com/shop/long") { _ in
                OriginResponse(head: HTTPResponse(status: .ok), body: BodyStream(source.stream))
            }
            let loader = SchemeLoader(try Self.client(folder, network))
            let task = SimulatedTask()
            let stop: @MainActor () -> Void = {
                task.stop()
                loader.stop(task)
            }
            task.onCall = { _ in if task.calls.count == count { stop() } }
            loader.start(task, method: "GET", url: "bundle://shop/long", fields: [])
            if count == 0 { stop() }
            for _ in 0..<3 { source.continuation.yield([UInt8](repeating: 1, count: 1_000)) }
            source.continuation.finish()
            try await eventually { loader.runningCount == 0 }
            // Another task runs to its end meanwhile, so what was on its way has arrived.
            let other = SimulatedTask()
            loader.start(other, method: "GET", url: "bundle://shop/app.js", fields: [])
            try await eventually { other.hasEnded }
            #expect(task.breaches.isEmpty)
            #expect(task.calls.count == count)
            loader.stop(task)
        }
    }

    @Test(
        "a redirected task gets the final response, and a page one that navigates",
        .timeLimit(.minutes(5)),
        arguments: [
            ("old", "*/*", [.head(200), .data, .finish], "script"),
            ("old", "text/html", [.head(200), .data, .finish], #"<a href="bundle://shop/app.js">"#),
            ("away", "*/*", [.fail], ""), ("loop", "*/*", [.fail], ""),
            ("away", "text/html", [.head(200), .data, .finish], #"<a href="https://other.example/">"#),
        ] as [(String, String, [SimulatedTask.Call], String)]
    )
    func redirected(
        _ path: String,
        _ accept: String,
        _ calls: [SimulatedTask.Call],
        _ content: String
    ) async throws {
        try await withTemporaryDirectory { folder in
            let network = ScriptedTransport()
            for (path, location) in [("old", "app.js"), ("away", "https://other.example/"), ("loop", "loop")] {
                network.response("https://m.example.com/shop/\(path)") { _ in
                    OriginResponse(
                        head: HTTPResponse(status: .found, headerFields: [.location: location]),
                        body: BodyStream([])
                    )
                }
            }
            let loader = SchemeLoader(try Self.client(folder, network))
            let task = SimulatedTask()
            let fields = [(name: "Accept", value: accept)]
            loader.start(task, method: "GET", url: "bundle://shop/\(path)", fields: fields)
            try await eventually { task.hasEnded }
            #expect(task.calls == calls)
            #expect(task.breaches.isEmpty)
            #expect(String(decoding: task.content, as: UTF8.self).contains(content) || content.isEmpty)
        }
    }

    @Test(
        "content from a stream is sent again where a redirect keeps it, if it is short; otherwise the task fails",
        .timeLimit(.minutes(5)),
        arguments: [
            (HTTPResponse.Status.seeOther, 2_000_000, 1, [.head(200), .data, .finish]),
            (.temporaryRedirect, 200_000, 2, [.head(204), .finish]), (.temporaryRedirect, 2_000_000, 1, [.fail]),
        ] as [(HTTPResponse.Status, Int, Int, [SimulatedTask.Call])]
    )
    func redirectedContent(
        _ status: HTTPResponse.Status,
        _ byteCount: Int,
        _ sentCount: Int,
        _ calls: [SimulatedTask.Call]
    ) async throws {
        try await withTemporaryDirectory { folder in
            let network = ScriptedTransport()
            let received = Monitor<[[UInt8]]>([])
            for (path, status) in [("upload", status), ("again", .noContent)] {
                network.response(calling: "https://m.example.com/shop/\(path)") { call in
                    var bytes: [UInt8] = []
                    if let content = call.content { for try await chunk in content { bytes += chunk } }
                    received.update { [bytes] in $0.append(bytes) }
                    let location = status == .seeOther ? "app.js" : "again"
                    return OriginResponse(
                        head: HTTPResponse(status: status, headerFields: [.location: location]),
                        body: BodyStream([])
                    )
                }
            }
            let loader = SchemeLoader(try Self.client(folder, network))
            let task = SimulatedTask()
            let content = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 / 3) }
            let stream = URLRequestContent(InputStream(data: Data(content)))
            loader.start(task, method: "POST", url: "bundle://shop/upload", fields: [], content: stream)
            try await eventually { task.hasEnded }
            #expect(task.calls == calls)
            #expect(task.breaches.isEmpty)
            #expect(received.state == Array(repeating: content, count: sentCount))
        }
    }

    @Test("a response that breaks off fails, and isn't finished", .timeLimit(.minutes(5)))
    func broken() async throws {
        let chunks = AsyncThrowingStream<[UInt8], any Error> { continuation in
            continuation.yield([1, 2, 3])
            continuation.finish(throwing: BundleError(.networkUnavailable, "broken"))
        }
        let task = SimulatedTask()
        let load = SchemeLoad(task) {}
        load.run { .streaming(HTTPResponse(status: .ok), BodyStream(chunks), ResponseSource(.network)) }
        try await eventually { task.hasEnded }
        #expect(task.calls == [.head(200), .data, .fail])
        #expect(task.breaches.isEmpty)
    }

    static func client(_ folder: TemporaryDirectory, _ network: ScriptedTransport? = nil) throws -> BundleClient {
        let client = try BundleClient(at: folder.path(of: "store"), transport: network)
        let mapping = #""origins": [{"url": "https://m.example.com/shop/", "path": "/"}]"#
        let manifest = try BundleManifest.sample("shop", "1.0.0", mapping)
        _ = try client.store.install(manifest, files: ["app.js": "script", "index.html": "page"])
        client.refresh()
        return client
    }
}
