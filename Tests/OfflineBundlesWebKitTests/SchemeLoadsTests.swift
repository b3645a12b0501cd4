import BundleTesting
import Foundation
import OfflineBundles
import OfflineBundlesWebKit
import Testing

@Suite("The tasks of a web view", .timeLimit(.minutes(2)))
struct SchemeLoadsTests {
    @Test(
        "get a response, the content and one end",
        arguments: [
            ("app://shop/", ["response 200", "data", "finish"], 4),
            ("app://shop/nothing", ["response 404", "data", "finish"], nil),
            ("app://shop/offline", ["failure -1004"], 0), ("app://none/", ["response 404", "data", "finish"], nil),
        ]
    )
    func loads(_ url: String, _ events: [String], _ byteCount: Int?) async throws {
        try await withLoads { web in
            if url.hasSuffix("offline") { await web.origin.stop() }
            let task = await web.start(url)
            let record = try await task.record.wait { $0.hasEnded ? $0 : nil }
            #expect(record.events == events)
            #expect(byteCount == nil || record.byteCount == byteCount)
            #expect(record.breaches.isEmpty)
        }
    }

    @Test("hear nothing after a stop, whenever it comes", arguments: 0..<12)
    func stops(_ step: Int) async throws {
        try await withLoads { web in
            let latch = Latch()
            web.origin.route("/shop/big") { _ in
                try await latch.wait()
                return ScriptedResponse(body: [UInt8](repeating: 1, count: 2_000_000))
            }
            let tasks = await web.perform { web in
                ["app://shop/", "app://shop/big", "app://shop/big.bin"].map { url in
                    let task = SimulatedTask(url, on: web.queue)
                    // In the middle of what it is told, as a web view whose page is left.
                    task.onEvent = { event in
                        guard step % 3 == 1, event == (step % 2 == 0 ? "data" : "response 200") else { return }
                        web.stop(task)
                    }
                    web.loads.start(task)
                    if step == 0 { web.stop(task) }
                    return task
                }
            }
            latch.open()
            if step % 3 != 1 {
                for _ in 0..<step * 2 { await Task.yield() }
                await web.perform { web in for task in tasks { web.stop(task) } }
            }
            for task in tasks { _ = try await task.record.wait { $0.isStopped || $0.hasEnded ? () : nil } }
            // Whatever was on its way has passed when other loads are complete.
            for _ in 0..<3 {
                let last = await web.start("app://shop/big.bin")
                _ = try await last.record.wait { $0.hasEnded ? () : nil }
            }
            for task in tasks { #expect(task.record.state.breaches.isEmpty) }
        }
    }

    @Test("are stopped once, and also after their end")
    func lateStop() async throws {
        try await withLoads { web in
            let task = await web.start("app://shop/")
            _ = try await task.record.wait { $0.hasEnded ? () : nil }
            await web.perform { web in
                web.stop(task)
                web.stop(task)
            }
            #expect(task.record.state.events == ["response 200", "data", "finish"])
        }
    }

    @Test("end with the loads: none is told anything then")
    func released() async throws {
        try await withTemporaryDirectory { folder in
            let client = try BundleClient(at: folder.path(of: "store"), transport: URLSessionTransport())
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            var loads: SchemeLoads? = SchemeLoads(client, scheme: "app", queue: queue)
            let task = SimulatedTask("app://none/", on: queue)
            loads?.start(task)
            loads = nil
            queue.addOperation { task.noteStop() }
            let ended = try await task.record.wait { $0.isStopped || $0.hasEnded ? $0 : nil }
            #expect(ended.breaches.isEmpty)
        }
    }
}

/// `@unchecked Sendable`: what isn't is used on the queue.
private struct Web: @unchecked Sendable {
    let loads: SchemeLoads
    let origin: OriginServer
    let queue: OperationQueue

    func stop(_ task: SimulatedTask) {
        task.noteStop()
        loads.stop(task)
    }

    func perform<Result: Sendable>(_ body: @escaping @Sendable (Web) -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.addOperation { continuation.resume(returning: body(self)) }
        }
    }

    func start(_ url: String) async -> SimulatedTask {
        await perform { web in
            let task = SimulatedTask(url, on: web.queue)
            web.loads.start(task)
            return task
        }
    }
}

private func withLoads(_ body: (Web) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
        try await withOriginServer { origin in
            let client = try BundleClient(at: folder.path(of: "store"), transport: URLSessionTransport())
            let origins = #""origins": [{"url": "\#(origin.baseURL)/shop/", "path": "/"}]"#
            let big = String(repeating: "0123456789", count: 100_000)
            try client.store.install(
                .sample("shop", "1.0.0", origins),
                files: ["index.html": "page", "big.bin": big]
            )
            client.refresh()
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            try await body(Web(loads: SchemeLoads(client, scheme: "app", queue: queue), origin: origin, queue: queue))
            client.close()
        }
    }
}
