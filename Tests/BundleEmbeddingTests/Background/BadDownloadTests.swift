import BundleEmbedding
import BundleStore
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("Downloads of the system that can't be used", .timeLimit(.minutes(5)))
struct BadDownloadTests {
    /// A response in place of the archive, and the pause in seconds that follows from it.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var status = HTTPResponse.Status.ok
        var fields: HTTPFields = [:]
        let content: @Sendable ([UInt8]) -> [UInt8]
        let pause: ClosedRange<TimeInterval>

        var testDescription: String { name }

        static let all = [
            Row(
                name: "a login page",
                fields: [.contentType: "text/html"],
                content: { _ in Array("<title>Welcome</title>".utf8) },
                pause: 1_800...3_600
            ),
            Row(name: "nothing there", status: .notFound, content: { _ in [] }, pause: 150...300),
            Row(
                name: "an overload",
                status: .serviceUnavailable,
                fields: [.retryAfter: "7200"],
                content: { _ in [] },
                pause: 7_200...7_200
            ),
            Row(name: "other content", content: { $0.reversed() }, pause: 1_800...3_600),
            Row(name: "less than was announced", content: { $0.dropLast() }, pause: 1_800...3_600),
            Row(name: "more than was announced", content: { $0 + [0] }, pause: 1_800...3_600),
            Row(
                name: "another part",
                status: .partialContent,
                fields: [.contentRange: "bytes 1-2/3"],
                content: { Array($0.prefix(2)) },
                pause: 1_800...3_600
            ),
        ]
    }

    @Test("are dropped, and asked for again by a clock after a pause, by a person at once", arguments: Row.all)
    func refused(_ row: Row) async throws {
        try await withTemporaryDirectory { directory in
            let app = try BackgroundFixture(in: directory)
            let (client, archive) = (try app.launch(), app.archive)
            app.network.response(BackgroundFixture.source) { _ in
                OriginResponse(row.status, row.fields, [row.content(archive)])
            }
            #expect(await client.updateAllInBackground())
            await app.system.download(from: app.network)
            try app.system.deliver()
            #expect(await client.finishEvents(ofSession: BackgroundSystem.identifier))
            #expect(client.active == "1.0.0")
            #expect(try app.downloads.isEmpty)
            let pause = try #require(try app.pause(client))
            #expect(row.pause.contains(pause.rounded()))
            #expect(await !client.updateAllInBackground())
            #expect(app.system.transfers.isEmpty)
            app.network.response(BackgroundFixture.source, file: archive)
            try await client.update(ClientFixture.name)
            #expect(client.active == "1.1.0")
        }
    }

    @Test("leave no bytes of their own in a file that was begun")
    func begun() async throws {
        try await withTemporaryDirectory { directory in
            let app = try BackgroundFixture(in: directory)
            let (client, archive) = (try app.launch(), app.archive)
            app.network.response(BackgroundFixture.source) { _ in
                let fields: HTTPFields = [.contentLength: String(archive.count)]
                return OriginResponse(.ok, fields, [Array(archive.prefix(100))], failure: OriginResponse.connectionLost)
            }
            await #expect(throws: BundleError.self) { try await client.update(ClientFixture.name) }
            #expect(await client.updateAllInBackground())
            app.network.response(BackgroundFixture.source, file: archive.reversed())
            await app.system.download(from: app.network)
            try app.system.deliver()
            #expect(await client.finishEvents(ofSession: BackgroundSystem.identifier))
            #expect(client.active == "1.0.0")
            #expect(try app.downloads.isEmpty)
        }
    }
}
