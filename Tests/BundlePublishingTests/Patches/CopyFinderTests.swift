import BundleTesting
import Testing

@testable import BundleInstall
@testable import BundlePublishing

@Suite("What patches copy")
struct CopyFinderTests {
    typealias Copy = PatchInstructions.Copy

    /// Bytes without repetition, the same in each run.
    private static func noise(_ seed: UInt64, _ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private func copies(from old: [UInt8], to new: [UInt8]) throws -> [Copy] {
        try old.withUnsafeBytes { old in
            try new.withUnsafeBytes { new in try CopyFinder.instructions(from: old, to: new).copies }
        }
    }

    @Test(
        "equal contents are one copy",
        arguments: [4_096, 4_097, 5_000, 100_000, 300_000]
    )
    func equal(byteCount: Int) throws {
        let content = Self.noise(1, byteCount)
        #expect(try copies(from: content, to: content) == [Copy(addedByteCount: 0, range: 0..<byteCount)])
    }

    @Test(
        "a change of some bytes is added, and the copies on both sides reach up to it",
        arguments: [0, 1, 700, 5_000]
    )
    func changed(addedByteCount: Int) throws {
        let content = Self.noise(1, 20_000)
        // No byte on either side of the change may happen to be the old one.
        let change = (0..<addedByteCount).map { _ in content[9_001] &+ 1 }
        let new = content[..<9_001] + change + content[9_002...]
        let copies = try copies(from: content, to: Array(new))
        #expect(
            copies == [
                Copy(addedByteCount: 0, range: 0..<9_001), Copy(addedByteCount: addedByteCount, range: 9_002..<20_000),
            ]
        )
    }

    @Test("what was moved is copied from where it was, and may be copied twice")
    func moved() throws {
        let (first, second) = (Self.noise(1, 6_001), Self.noise(2, 7_003))
        let copies = try copies(from: first + second, to: second + first + second)
        #expect(
            copies.map(\.range) == [6_001..<13_004, 0..<13_004] && copies.allSatisfy { $0.addedByteCount == 0 }
        )
    }

    @Test("runs shorter than 4 KB, and what only the new release has, are added")
    func short() throws {
        let (old, other) = (Self.noise(1, 4_095), Self.noise(2, 10_000))
        #expect(try copies(from: old, to: old).isEmpty)
        #expect(try copies(from: old, to: other + old + other).isEmpty)
        #expect(try copies(from: [], to: other).isEmpty)
        #expect(try copies(from: other, to: []).isEmpty)
    }

    @Test("of many equal blocks, the one straight on from the last copy counts")
    func repetition() throws {
        let zeros = Array(repeating: UInt8(0), count: 50_000)
        let content = zeros + Self.noise(1, 5_000) + zeros
        #expect(try copies(from: content, to: content) == [Copy(addedByteCount: 0, range: 0..<105_000)])
        var changed = content
        changed[60_000] = 1
        #expect(
            try copies(from: content, to: changed) == [
                Copy(addedByteCount: 0, range: 0..<60_000), Copy(addedByteCount: 1, range: 60_001..<105_000),
            ]
        )
    }

    @Test("whatever two contents have, what is copied is equal, and everything is either copied or added")
    func property() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            let old = Self.noise(generator.next(), Int.random(in: 0...40_000, using: &generator))
            var new: [UInt8] = []
            while new.count < 40_000 {
                let start = Int.random(in: 0...old.count, using: &generator)
                new += old[start..<Int.random(in: start...old.count, using: &generator)]
                new += Self.noise(generator.next(), Int.random(in: 0...3_000, using: &generator))
            }
            var end = 0
            for copy in try copies(from: old, to: new) {
                end += copy.addedByteCount
                #expect(old[copy.range].elementsEqual(new[end..<end + copy.range.count]))
                #expect(copy.range.count >= CopyFinder.minimumByteCount)
                end += copy.range.count
            }
            #expect(end <= new.count)
        }
    }
}
