import BundleTesting
import Testing

@testable import BundleStore

@Suite("A damaged version index")
struct DamagedIndexTests {
    private static let paths = ["index.html", "assets/app.js", "größe/日本語.svg", "empty"]

    /// Provides the bytes of an intact index, and a way to open other bytes as one.
    private func withIndex(_ body: ([UInt8], _ open: ([UInt8]) throws -> VersionIndex) throws -> Void) async throws {
        try await withStore { store, directory in
            let files = try Self.paths.map { try IndexedFile.made($0, content: $0, mediaType: "a/\($0)") }
            let sound = try store.layout.writeIndex(files)
            try body(try directory.read("store/indexes/\(sound.identifier.name).index")) { bytes in
                let identifier = FileIdentifier.random()
                try directory.write(bytes, to: "store/indexes/\(identifier.name).index")
                return try VersionIndex(identifier, in: store.layout)
            }
        }
    }

    /// Follows every number in the index. Every result must match its look-up.
    private func probe(_ index: VersionIndex) {
        for path in Self.paths + ["missing", ""] {
            guard let entry = index.find(path) else { continue }
            #expect(index.name(of: entry)?.elementsEqual(path.utf8) == true)
        }
        for path in Self.paths {
            let digest = Digest(of: Array(path.utf8))
            #expect(index.find(digest: digest).map { $0.digest == digest } != false)
        }
        for number in [-1, 0, 1, 3, index.count - 1, index.count, .max] {
            _ = index.entry(number).flatMap { index.name(of: $0) }
        }
        _ = index.isIntact()
    }

    @Test("is refused wherever it is truncated")
    func truncation() async throws {
        try await withIndex { bytes, open in
            for count in bytes.indices {
                let error = #expect(throws: BundleError.self, "cut at \(count)") {
                    try open(Array(bytes.prefix(count)))
                }
                #expect(error?.code == .storeDamaged)
                #expect(error?.message.contains(".index") == true)
            }
        }
    }

    @Test("is refused when it has grown")
    func growth() async throws {
        try await withIndex { bytes, open in
            let error = #expect(throws: BundleError.self) { try open(bytes + [0]) }
            #expect(error?.message.contains("has \(bytes.count + 1) bytes and should have \(bytes.count)") == true)
        }
    }

    @Test(
        "is refused or gives misses, and is never intact, whichever byte is changed",
        arguments: [0x01, 0x80, 0xFF] as [UInt8]
    )
    func flippedByte(_ mask: UInt8) async throws {
        try await withIndex { bytes, open in
            for position in bytes.indices {
                var damaged = bytes
                damaged[position] ^= mask
                do {
                    let index = try open(damaged)
                    probe(index)
                    #expect(!index.isIntact(), "byte \(position)")
                } catch let error as BundleError {
                    #expect([.storeDamaged, .newerFormat].contains(error.code))
                }
            }
        }
    }

    @Test(
        "of another format is refused with advice",
        arguments: [(3, .newerFormat, "; update this program"), (1, .storeDamaged, "")]
            as [(UInt8, BundleError.Code, String)]
    )
    func otherVersion(_ version: UInt8, _ code: BundleError.Code, _ advice: String) async throws {
        try await withIndex { bytes, open in
            var other = bytes
            other[8] = version
            let error = #expect(throws: BundleError.self) { try open(other) }
            #expect(error?.code == code)
            #expect(error?.message.hasSuffix("format version \(version), this program reads 2\(advice)") == true)
        }
    }

    @Test("of random tables never ends the process", arguments: 0..<4 as Range<UInt64>)
    func randomTables(_ seed: UInt64) async throws {
        try await withIndex { bytes, open in
            var random = SeededGenerator(seed: seed)
            for _ in 0..<250 {
                var damaged = bytes
                let start = [24, 48, 96, 128, 144].randomElement(using: &random) ?? 24
                for position in start..<bytes.count where Int.random(in: 0..<4, using: &random) == 0 {
                    damaged[position] =
                        [0, 1, 0x40, 0xFF, UInt8.random(in: 0...255, using: &random)]
                        .randomElement(using: &random) ?? 0
                }
                if let index = try? open(damaged) { probe(index) }
            }
        }
    }

    @Test("of random bytes is refused")
    func randomBytes() async throws {
        try await withIndex { bytes, open in
            var random = SeededGenerator(seed: 5)
            for count in [0, 1, 143, 144, 1_000] {
                let error = #expect(throws: BundleError.self) { try open(random.bytes(count)) }
                #expect(error?.message.contains("is not a store file") == true)
            }
        }
    }

    @Test("with no free bucket ends its search")
    func fullTable() async throws {
        try await withIndex { bytes, open in
            var full = bytes
            let table = Int(bytes[56]) | Int(bytes[57]) << 8
            for bucket in 0..<Int(bytes[28]) {
                full.replaceSubrange(table + bucket * 4..<table + bucket * 4 + 4, with: [1, 0, 0, 0])
            }
            let index = try open(full)
            #expect(index.find("missing") == nil)
            #expect(index.find(index.names[0] ?? "") != nil)
        }
    }
}
