import BundleTesting
import Foundation
import SystemPackage
import Testing

@testable import BundleStore

@Suite("The catalog's log, read as a file")
struct WriteAheadLogTests {
    private static let database = "store/catalog.sqlite"

    private func log(_ directory: TemporaryDirectory, of database: String = database) -> WriteAheadLog {
        WriteAheadLog(of: FilePath(directory.path(of: database)))
    }

    @Test("has content of its own while only it has a change, and none after the store is closed")
    func closing() async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                try store.install("1.0.0")
                #expect(try !log(directory).isInDatabase())
                try store.install("2.0.0", ["index.html": "two"])
                #expect(try !log(directory).isInDatabase())
            }
            #expect(try log(directory).isInDatabase())
            #expect(try directory.read(Self.database + "-wal")[0..<4] == [0x37, 0x7F, 0x06, 0x82])
        }
    }

    @Test("has no content if it doesn't exist", arguments: [nil, [], [0], [UInt8](repeating: 0, count: 1 << 20)])
    func none(_ bytes: [UInt8]?) async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install("1.0.0") }
            try directory.remove(Self.database + "-wal")
            if let bytes { try directory.write(bytes, to: Self.database + "-wal") }
            #expect(try log(directory).isInDatabase())
        }
    }

    @Test("accepts exactly the frames that SQLite accepts, whichever byte is changed")
    func damage() async throws {
        try await withStore { store, directory in
            for number in 1...3 { try store.install("\(number).0.0", ["index.html": "\(number)"]) }
            let (sound, database) = (try directory.read(Self.database + "-wal"), try directory.read(Self.database))
            let frameByteCount = 24 + 4_096
            let frameCount = (sound.count - 32) / frameByteCount
            var verdicts: Set<Bool> = []
            // In the header, and in each frame the page's number, the size, the salt, the checksum and the page.
            let positions =
                [0, 8, 17, 25]
                + (0..<min(frameCount, 20)).flatMap { number in
                    [3, 7, 9, 17, 24 + 100].map { 32 + number * frameByteCount + $0 }
                }
            for (number, position) in positions.enumerated() {
                var bytes = sound
                bytes[position] ^= 1
                let copy = "copies/\(number)/catalog.sqlite"
                try directory.write(database, to: copy)
                try directory.write(bytes, to: copy + "-wal")
                let isInDatabase = try log(directory, of: copy).isInDatabase()
                verdicts.insert(isInDatabase)
                let root = FilePath(directory.path(of: "copies/\(number)"))
                let generation = try Catalog(StoreLayout(root: root))?.generation()
                #expect(isInDatabase == (generation == 0), "byte \(position)")
            }
            #expect(verdicts == [true, false])
        }
    }
}
