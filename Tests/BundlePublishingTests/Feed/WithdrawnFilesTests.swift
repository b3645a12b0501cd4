import BundleTesting
import Foundation
import Testing

@testable import BundlePublishing

@Suite("Files that a feed no longer names")
struct WithdrawnFilesTests {
    private static func date(_ hours: Double) -> Date { Date(timeIntervalSince1970: 1_000_000 + hours * 3_600) }

    @Test("stay for a day, unless they are named again or gone")
    func period() {
        var files = WithdrawnFiles()
        let all: Set = ["a", "b", "c"]
        #expect(files.advance(from: all, to: ["c"], present: all, at: Self.date(0)).isEmpty)
        #expect(files.names == ["a", "b"])
        #expect(files.advance(from: ["c"], to: ["c", "a"], present: all, at: Self.date(5)).isEmpty)
        #expect(files.names == ["b"])
        #expect(files.advance(from: ["c", "a"], to: ["a"], present: all, at: Self.date(23.9)).isEmpty)
        #expect(files.advance(from: ["a"], to: ["a"], present: all, at: Self.date(24)) == ["b"])
        #expect(files.names == ["c"])
        #expect(files.advance(from: ["a"], to: ["a"], present: ["a"], at: Self.date(25)).isEmpty)
        #expect(files == WithdrawnFiles())
    }

    @Test("stay no longer when the clock is set back")
    func clock() {
        var files = WithdrawnFiles()
        _ = files.advance(from: ["a"], to: [], present: ["a"], at: Self.date(1_000))
        #expect(files.advance(from: [], to: [], present: ["a"], at: Self.date(0)).isEmpty)
        #expect(files.advance(from: [], to: [], present: ["a"], at: Self.date(24)) == ["a"])
    }

    @Test("are so many at most: of more, those go that were withdrawn first")
    func limit() {
        var files = WithdrawnFiles()
        let first = Set((0..<60).map { "first-\($0)" })
        let second = Set((0..<60).map { "second-\($0)" })
        _ = files.advance(from: first, to: second, present: first.union(second), at: Self.date(0))
        let expired = files.advance(from: second, to: [], present: first.union(second), at: Self.date(1))
        #expect(expired.count == 120 - WithdrawnFiles.maximumCount)
        #expect(expired.isSubset(of: first))
        #expect(files.names.count == WithdrawnFiles.maximumCount)
    }

    @Test("are remembered by the folder, as long as there are some")
    func remembered() async throws {
        try await withTemporaryDirectory { directory in
            let folder = directory.path(of: "")
            var files = WithdrawnFiles(in: folder)
            #expect(files == WithdrawnFiles())
            _ = files.advance(from: ["a", "b"], to: [], present: ["a", "b"], at: Self.date(0))
            try files.write(in: folder, insteadOf: WithdrawnFiles())
            #expect(WithdrawnFiles(in: folder) == files)
            try WithdrawnFiles().write(in: folder, insteadOf: files)
            #expect(try directory.snapshot(of: "").files.isEmpty)
        }
    }

    @Test(
        "a damaged list is an empty one",
        arguments: ["", "{", "[]", #"{"a": "x"}"#, #"{"a": 1.5}"#, #"{"a": 99999999999999999999}"#]
    )
    func damaged(_ text: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(text, to: WithdrawnFiles.fileName)
            #expect(WithdrawnFiles(in: directory.path(of: "")) == WithdrawnFiles())
        }
    }

    @Test("times that no clock shows are bounded", arguments: [Int64.min, -1, Int64.max])
    func oddTimes(_ time: Int64) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(#"{"a": \#(time)}"#, to: WithdrawnFiles.fileName)
            var files = WithdrawnFiles(in: directory.path(of: ""))
            let expired = files.advance(from: [], to: [], present: ["a"], at: Self.date(0))
            #expect(expired == (time < 0 ? ["a"] : []))
        }
    }
}
