import BundleTesting
import Foundation
import SystemPackage
import Testing

@testable import BundleModel
@testable import BundleStore

@Suite("ByteSlice")
struct ByteSliceTests {
    private let slice = ByteSlice(copying: [0, 1, 2, 3, 4, 5, 6, 7])

    @Test(
        "a part is relative to its slice and clamped to its length",
        arguments: [
            (0..<8, [0, 1, 2, 3, 4, 5, 6, 7]), (2..<4, [2, 3]), (6..<100, [6, 7]), (8..<9, []), (50..<60, []),
            (-3..<2, [0, 1]), (-9..<(-1), []), (3..<3, []),
        ] as [(Range<Int>, [UInt8])]
    )
    func part(_ bounds: Range<Int>, _ expected: [UInt8]) {
        #expect(slice[bounds].array == expected)
        #expect(slice[bounds].count == expected.count)
    }

    @Test("a part of a part is relative to the part")
    func nesting() {
        #expect(slice[2..<7][1..<3].array == [3, 4])
        #expect(slice[2..<7][1..<300].array == [3, 4, 5, 6])
        #expect(slice[8..<8][0..<1].array.isEmpty)
    }

    @Test("a range outside the owner gives no slice", arguments: [-1..<2, 0..<9, 9..<9])
    func outside(_ range: Range<Int>) {
        #expect(ByteSlice(of: OwnedMemory(copying: [UInt8](0..<8)), range: range) == nil)
    }

    @Test("zero bytes make an empty slice")
    func empty() {
        let slice = ByteSlice(copying: [])
        #expect(slice.count == 0)
        #expect(slice.withUnsafeBytes(\.count) == 0)
    }

    @Test("a mapped file stays readable after it is deleted", arguments: [0, 1, 5_000])
    func mapping(_ count: Int) async throws {
        try await withStore { store, directory in
            let content = [UInt8](repeating: 7, count: count)
            let identifier = FileIdentifier.random()
            let file = try directory.write(content, to: "store/incoming/\(identifier.name)")
            let slice = try ByteSlice(mapping: store.layout.temporary(identifier))
            try FileManager.default.removeItem(atPath: file)
            #expect(slice.array == content)
        }
    }

    @Test("the file of a part has the part's bytes at its offset")
    func file() async throws {
        try await withStore { store, directory in
            let identifier = FileIdentifier.random()
            let content = [UInt8](0..<100)
            let path = try directory.write(content, to: "store/incoming/\(identifier.name)")
            let part = try ByteSlice(mapping: store.layout.temporary(identifier))[10..<90][5..<50]
            let file = try #require(part.file)
            let read = try FileDescriptor(rawValue: file.descriptor).bytes(in: file.offset..<file.offset + part.count)
            #expect(read == part.array)
            // Once open, the file stays open.
            try FileManager.default.removeItem(atPath: path)
            #expect(part.file?.descriptor == file.descriptor)
        }
    }

    @Test("another file of the same name isn't a part's file, and copied bytes have none")
    func noFile() async throws {
        try await withStore { store, directory in
            let identifier = FileIdentifier.random()
            let path = try directory.write([1, 2, 3], to: "store/incoming/\(identifier.name)")
            let slice = try ByteSlice(mapping: store.layout.temporary(identifier))
            // Not deleted, because its inode number might then be reused for the next file.
            try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
            try directory.write([4, 5, 6], to: "store/incoming/\(identifier.name)")
            #expect(slice.file == nil)
            #expect(ByteSlice(copying: [1]).file == nil)
        }
    }

    @Test("a missing file can't be mapped")
    func missing() async throws {
        try await withStore { store, _ in
            #expect(throws: (any Error).self) { try ByteSlice(mapping: store.layout.temporary(.random())) }
        }
    }
}
