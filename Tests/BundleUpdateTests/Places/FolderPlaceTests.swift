import BundleStore
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@testable import BundleUpdate

/// What a folder responds.
struct FolderPlaceTests {
    private static func url(_ name: String, in directory: TemporaryDirectory) -> URL {
        URL(fileURLWithPath: directory.path(of: name))
    }

    /// - Parameter age: How old files are that were just written, in seconds.
    private static func get(
        _ url: URL,
        _ fields: HTTPFields = [:],
        in directory: TemporaryDirectory,
        age: TimeInterval = 3_600
    ) async throws -> (head: HTTPResponse, text: String) {
        let place = try #require(FolderPlace(of: Self.url("feed.json", in: directory)) { Date() + age })
        let response = try await place.response(for: url, fields: fields)
        var bytes: [UInt8] = []
        for try await chunk in response.body { bytes += chunk }
        return (response.head, String(decoding: bytes, as: UTF8.self))
    }

    @Test func `a file comes whole, or in the part that is asked for`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("0123456789", to: "a b.zip")
            let file = Self.url("a b.zip", in: directory)
            let whole = try await Self.get(file, in: directory)
            #expect(whole.head.status == .ok && whole.text == "0123456789")
            #expect(whole.head.headerFields[.contentLength] == "10")
            let part = try await Self.get(file, [.range: "bytes=4-"], in: directory)
            #expect(part.head.status == .partialContent && part.text == "456789")
            #expect(part.head.receivedPart?.range == 4..<10 && part.head.receivedPart?.length == 10)
            let none = try await Self.get(file, [.range: "bytes=10-"], in: directory)
            #expect(none.head.status == .rangeNotSatisfiable && none.text.isEmpty)
            #expect(none.head.headerFields[.contentRange] == "bytes */10")
        }
    }

    @Test func `a file that has changed comes whole in place of a part`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("0123456789", to: "a.zip")
            let file = Self.url("a.zip", in: directory)
            let tag = try #require(try await Self.get(file, in: directory).head.headerFields[.eTag])
            let resumed = try await Self.get(file, [.range: "bytes=4-", .ifRange: tag], in: directory)
            #expect(resumed.text == "456789")
            #expect(try await Self.get(file, [.ifNoneMatch: tag], in: directory).head.status == .notModified)
            try directory.write("abcdefghijk", to: "a.zip")
            let changed = try await Self.get(file, [.range: "bytes=4-", .ifRange: tag], in: directory)
            #expect(changed.head.status == .ok && changed.text == "abcdefghijk")
            #expect(try await Self.get(file, [.ifNoneMatch: tag], in: directory).head.status == .ok)
        }
    }

    @Test(arguments: [0.0, 30, -3_600])
    func `the time of a file that was changed lately, or in the future, tells nothing`(age: TimeInterval) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("{}", to: "feed.json")
            let feed = Self.url("feed.json", in: directory)
            #expect(try await Self.get(feed, in: directory, age: age).head.headerFields[.eTag] == nil)
        }
    }

    @Test func `a long file comes in chunks of limited size`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write([UInt8](repeating: 7, count: 600_000), to: "a.zip")
            let place = try #require(FolderPlace(of: Self.url("feed.json", in: directory)))
            let response = try await place.response(for: Self.url("a.zip", in: directory), fields: [:])
            var counts: [Int] = []
            for try await chunk in response.body { counts.append(chunk.count) }
            #expect(counts == [262_144, 262_144, 75_712])
        }
    }

    @Test func `a file that grows is read as it was, and one that shrinks is an error`() async throws {
        try await withTemporaryDirectory { directory in
            for (after, isError) in [("0123456789", false), ("0", true)] {
                try directory.write("01234", to: "a.zip")
                let place = try #require(FolderPlace(of: Self.url("feed.json", in: directory)))
                let response = try await place.response(for: Self.url("a.zip", in: directory), fields: [:])
                let handle = try #require(FileHandle(forWritingAtPath: directory.path(of: "a.zip")))
                try handle.truncate(atOffset: 0)
                try handle.write(contentsOf: Data(after.utf8))
                var bytes: [UInt8] = []
                do {
                    for try await chunk in response.body { bytes += chunk }
                    #expect(!isError && bytes == Array("01234".utf8))
                } catch let error as BundleError {
                    #expect(isError && error.message.contains("became shorter"))
                }
            }
        }
    }

    @Test func `nothing outside of the folder is read, whatever the URL`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("secret", to: "outside.txt")
            try directory.write("{}", to: "feed/feed.json")
            try FileManager.default.createSymbolicLink(
                atPath: directory.path(of: "feed/link"),
                withDestinationPath: "../outside.txt"
            )
            #expect(mkfifo(directory.path(of: "feed/fifo"), 0o600) == 0)
            let base = Self.url("feed", in: directory).absoluteString
            let place = try #require(FolderPlace(of: Self.url("feed/feed.json", in: directory)))
            for text in [
                "file:///etc/passwd", "\(base)/../outside.txt", "\(base)/%2e%2e/outside.txt",
                "\(base)/..%2Foutside.txt",
                "\(base)x/feed.json", "\(base)/link", "\(base)/fifo", "https://m.example.com/x",
            ] {
                let url = try #require(URL(string: text))
                let error = await #expect(throws: BundleError.self) { try await place.response(for: url, fields: [:]) }
                #expect(error?.code == .networkUnavailable, "\(text)")
                #expect(!(error?.cause is AbsentPlace), "\(text)")
            }
        }
    }

    @Test func `a missing archive is an error of the feed, a missing feed a medium that isn't there`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("{}", to: "stick/feed.json")
            let place = try #require(FolderPlace(of: Self.url("stick/feed.json", in: directory)))
            func error(_ name: String) async -> BundleError? {
                await #expect(throws: BundleError.self) {
                    try await place.response(for: Self.url(name, in: directory), fields: [:])
                }
            }
            #expect(await error("stick/shop.zip")?.cause is AbsentFile)
            try FileManager.default.removeItem(atPath: directory.path(of: "stick/feed.json"))
            for name in ["stick/shop.zip", "stick/feed.json"] { #expect(await error(name)?.cause is AbsentPlace) }
            try FileManager.default.removeItem(atPath: directory.path(of: "stick"))
            #expect(await error("stick/feed.json")?.cause is AbsentPlace)
        }
    }
}
