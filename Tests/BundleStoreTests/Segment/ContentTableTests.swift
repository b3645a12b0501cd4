import BundleTesting
import Testing

@testable import BundleStore

@Suite("ContentTable")
struct ContentTableTests {
    private func location(_ number: Int) -> ContentLocation {
        ContentLocation(
            segment: FileIdentifier(value: UInt128(number % 5)),
            offset: UInt64(number),
            byteCount: UInt64(number) << 33
        )
    }

    @Test("a hundred thousand contents are all found, in memory and in a file, and the last entry for each counts")
    func many() async throws {
        try await withStore { store, directory in
            let table = ContentTable(spillingTo: store.layout.temporary(.random()))
            let digests = (0..<100_000).map { Digest(of: Array("\($0)".utf8)) }
            for (number, digest) in digests.enumerated() {
                try table.insert(.init(digest: digest, location: location(number), isVerified: false))
            }
            for number in stride(from: 0, to: digests.count, by: 7) {
                try table.insert(.init(digest: digests[number], location: location(number + 1), isVerified: true))
            }
            #expect(table.count == digests.count)
            var wrong: [Int] = []
            for (number, digest) in digests.enumerated() {
                let isReplaced = number % 7 == 0
                let found = try table.find(digest)
                let expected = location(isReplaced ? number + 1 : number)
                if found?.location != expected || found?.isVerified != isReplaced { wrong.append(number) }
            }
            #expect(wrong.isEmpty)
            #expect(try table.find(Digest(of: Array("missing".utf8))) == nil)
            // The file that it spills to is unlinked.
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }
}
