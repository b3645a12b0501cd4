import BundleStore
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@testable import BundleUpdate

/// What a feed in a registry responds.
struct OCIReaderTests {
    private static let content = "0123456789"
    private static let blob = "blobs/\(MemoryRegistry.digest(Array(content.utf8)))"
    private static let tag = "\"\(MemoryRegistry.digest(Array(content.utf8)))\""

    private let registry = MemoryRegistry()
    private let reader: OCIReader

    init() throws {
        reader = OCIReader(OCIClient(try OCIReference(MemoryRegistry.reference), over: registry))
        registry.publish(["feed.json": "{}", "a.zip": Self.content, "empty": "", "1.root.json": "root"])
        registry.clearLog()
    }

    private func get(_ name: String, _ fields: HTTPFields = [:]) async throws -> (head: HTTPResponse, text: String) {
        let url = try #require(URL(string: "\(MemoryRegistry.reference)/\(name)"))
        let response = try await reader.response(for: url, fields: fields)
        let bytes = try await response.body.bytes(atMost: 8 << 20)
        return (response.head, String(decoding: bytes ?? [], as: UTF8.self))
    }

    @Test func `a file comes whole, or in the part that is asked for`() async throws {
        let whole = try await get("a.zip")
        #expect(whole.head.status == .ok && whole.text == Self.content)
        #expect(whole.head.headerFields[.contentLength] == "10" && whole.head.headerFields[.eTag] == Self.tag)
        let part = try await get("a.zip", [.range: "bytes=4-"])
        #expect(part.head.status == .partialContent && part.text == "456789")
        #expect(part.head.receivedPart?.range == 4..<10 && part.head.receivedPart?.length == 10)
        #expect(part.head.headerFields[.eTag] == Self.tag)
        let none = try await get("a.zip", [.range: "bytes=10-"])
        #expect(none.head.status == .rangeNotSatisfiable && none.text.isEmpty)
        #expect(none.head.headerFields[.contentRange] == "bytes */10")
        let several = try await get("a.zip", [.range: "bytes=0-1,5-6"])
        #expect(several.head.status == .ok && several.text == Self.content)
        #expect(try await get("empty").text.isEmpty)
        let asked = ["GET manifests/feed", "GET \(Self.blob)", "GET \(Self.blob) bytes=4-9", "GET \(Self.blob)"]
        #expect(registry.log.dropLast() == asked[...])
    }

    @Test func `a condition is decided by the digest, without a request`() async throws {
        #expect(try await get("a.zip", [.ifNoneMatch: Self.tag]).head.status == .notModified)
        #expect(registry.log == ["GET manifests/feed"])
        let resumed = try await get("a.zip", [.range: "bytes=4-", .ifRange: Self.tag])
        #expect(resumed.head.status == .partialContent && resumed.text == "456789")
        let changed = try await get("a.zip", [.range: "bytes=4-", .ifRange: "\"other\""])
        #expect(changed.head.status == .ok && changed.text == Self.content)
        #expect(registry.requests.allSatisfy { !$0.headerFields.contains(.ifRange) })
    }

    @Test func `what isn't there is a 404, and so is all of a tag that isn't there`() async throws {
        for name in ["b.zip", "2.root.json", "timestamp.json"] { #expect(try await get(name).head.status == .notFound) }
        registry.interception = { _ in MemoryRegistry.error(.notFound, "NAME_UNKNOWN") }
        #expect(try await get("feed.json").head.status == .notFound)
        #expect(try await get("a.zip").head.status == .notFound)
    }

    @Test func `the feed is as new as its request, and what it names is of the same manifest`() async throws {
        _ = try await get("feed.json")
        registry.publish(["feed.json": "{ }", "a.zip": "new"])
        #expect(try await get("a.zip").text == Self.content)
        #expect(try await get("feed.json").text == "{ }")
        #expect(try await get("a.zip").text == "new")
        #expect(try await get("feed.json").text == "{ }")
        #expect(registry.log.filter { $0.contains("manifests") }.count == 3)
        let conditions = registry.requests.filter { $0.path?.contains("manifests") == true }.map {
            $0.headerFields[.ifNoneMatch] != nil
        }
        #expect(conditions == [false, true, true])
    }

    @Test func `a signed feed is read from the manifest of its timestamp`() async throws {
        registry.publish(["feed.json": "old", "timestamp.json": "1", "1.snapshot.json": "old"])
        _ = try await get("2.root.json")
        #expect(try await get("timestamp.json").text == "1")
        registry.publish(["feed.json": "new", "timestamp.json": "2", "2.snapshot.json": "new", "2.root.json": "r"])
        #expect(try await get("1.snapshot.json").text == "old")
        #expect(try await get("feed.json").text == "old")
        // The next check.
        #expect(try await get("2.root.json").text == "r")
        #expect(try await get("timestamp.json").text == "2")
        #expect(try await get("feed.json").text == "new")
        #expect(try await get("feed.json").text == "new")
        #expect(registry.log.filter { $0.contains("manifests") }.count == 5)
    }

    @Test(arguments: [
        "oci://registry.example.com/kiosk/shop:other/a.zip", "oci://registry.example.com/kiosk/shop:feed/b/a.zip",
        "oci://registry.example.com/secret:feed/a.zip", "oci://other.example.com/kiosk/shop:feed/a.zip",
        "oci://registry.example.com/kiosk/shop:feed/..%2Fa.zip",
    ])
    func `nothing else of the registry is read`(_ text: String) async throws {
        let url = try #require(URL(string: text))
        #expect(reader.reads(url))
        let error = await #expect(throws: BundleError.self) { try await reader.response(for: url, fields: [:]) }
        #expect(error?.code == .networkUnavailable && registry.requests.isEmpty)
    }

    @Test func `a short file that isn't the one of the manifest is an error, a long one when it is too long`()
        async throws
    {
        registry.add(Array("x123456789".utf8), titled: "a.zip", digest: MemoryRegistry.digest(Array(Self.content.utf8)))
        let error = await #expect(throws: BundleError.self) { try await get("a.zip") }
        #expect(error?.message.contains("another content") == true)
        let long = [UInt8](repeating: 7, count: 5 << 20)
        registry.put(MemoryRegistry.manifest([registry.add(long, titled: "long.zip")]), tag: "feed")
        _ = try await get("feed.json")
        registry.interception = { request in
            OriginResponse(.ok, [:], [long, [0]])
        }
        await #expect(throws: BundleError.self) { try await get("long.zip") }
        registry.interception = { request in
            OriginResponse(.ok, [.contentLength: "\(long.count - 1)"], [long])
        }
        await #expect(throws: BundleError.self) { try await get("long.zip") }
    }

    @Test func `a registry that ignores a range sends the whole, and one that sends another part is an error`()
        async throws
    {
        let all = Array(Self.content.utf8)
        _ = try await get("feed.json")
        registry.interception = { _ in
            OriginResponse(.ok, [:], [all])
        }
        let whole = try await get("a.zip", [.range: "bytes=4-5"])
        #expect(whole.head.status == .ok && whole.text == Self.content)
        for range in ["bytes 3-4/10", "bytes 4-5/11", "bytes 4-6/10"] {
            registry.interception = { _ in
                OriginResponse(.partialContent, [.contentRange: range], [Array(all[4..<6])])
            }
            await #expect(throws: BundleError.self) { try await get("a.zip", [.range: "bytes=4-5"]) }
        }
        registry.interception = { _ in
            OriginResponse(.partialContent, [.contentRange: "bytes 4-5/10"], [Array(all[4..<7])])
        }
        await #expect(throws: BundleError.self) { try await get("a.zip", [.range: "bytes=4-5"]) }
    }

    @Test func `a registry that wants to be asked less is left alone`() async throws {
        registry.interception = { _ in MemoryRegistry.error(.tooManyRequests, "TOOMANYREQUESTS", [.retryAfter: "60"]) }
        let error = await #expect(throws: BundleError.self) { try await get("feed.json") }
        #expect(error?.asksForPause == true)
    }
}
