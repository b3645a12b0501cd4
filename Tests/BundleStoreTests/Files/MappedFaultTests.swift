import BundleTesting
import Foundation
import SystemPackage
import Testing

@testable import BundleStore

@Suite("A mapped file that is truncated while it is read")
struct MappedFaultTests {
    private func mapped(_ directory: TemporaryDirectory, _ name: String, pages: Int) throws -> ByteSlice {
        try MappedFile.surviveFaults()
        try directory.write([UInt8](repeating: 7, count: pages * 4_096), to: name)
        return try ByteSlice(mapping: FilePath(directory.path(of: name)))
    }

    @Test("reads as zeros, and reports it, instead of ending the process", arguments: [0, 4_096])
    func cut(_ left: Int) async throws {
        try await withTemporaryDirectory { directory in
            let slice = try mapped(directory, "a", pages: 3)
            #expect(!slice.hasFaulted)
            try directory.cut("a", to: left)
            let bytes = slice.array
            #expect(bytes.allSatisfy { $0 == 0 || $0 == 7 })
            #expect(bytes.last == 0)
            #expect(slice.hasFaulted)
            #expect(slice.hasChanged)
        }
    }

    @Test("doesn't affect others")
    func others() async throws {
        try await withTemporaryDirectory { directory in
            let (cut, whole) = (try mapped(directory, "a", pages: 2), try mapped(directory, "b", pages: 2))
            try directory.cut("a", to: 0)
            _ = cut.array
            #expect(whole.array == [UInt8](repeating: 7, count: 8_192))
            #expect((cut.hasFaulted, whole.hasFaulted) == (true, false))
            #expect(!whole.hasChanged)
        }
    }

    @Test("doesn't affect the file that is mapped next, at any address")
    func reuse() async throws {
        try await withTemporaryDirectory { directory in
            for round in 0..<100 {
                let slice = try mapped(directory, "\(round)", pages: 1)
                #expect(!slice.hasFaulted)
                try directory.cut("\(round)", to: 0)
                #expect(slice.array.first == 0)
                #expect(slice.hasFaulted)
            }
        }
    }

    @Test("by many threads at once doesn't end the process")
    func threads() async throws {
        try await withTemporaryDirectory { directory in
            let slice = try mapped(directory, "a", pages: 512)
            try directory.cut("a", to: 0)
            let sums = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<16 { group.addTask { slice.withUnsafeBytes { $0.reduce(0) { $0 + Int($1) } } } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(sums == Array(repeating: 0, count: 16))
        }
    }

    #if os(Linux)
        @Test("splits its mapping into few parts, however many pages are read")
        func parts() async throws {
            try await withTemporaryDirectory { directory in
                let slice = try mapped(directory, "a", pages: 2_000)
                try directory.cut("a", to: 0)
                slice.withUnsafeBytes { bytes in
                    for page in stride(from: 0, to: 2_000, by: 2) { #expect(bytes[page * 4_096] == 0) }
                }
                // One line for each mapping: address, rights, offset, device, inode, path.
                let file = directory.path(of: "a")
                let mappings = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n")
                #expect(mappings.count { $0.contains(file) } < 100)
            }
        }
    #endif

    @Test("counts as unchanged if it was deleted or another file has its name")
    func replaced() async throws {
        try await withTemporaryDirectory { directory in
            let slice = try mapped(directory, "a", pages: 1)
            try FileManager.default.removeItem(atPath: directory.path(of: "a"))
            #expect(!slice.hasChanged)
            try directory.write([1], to: "a")
            #expect(!slice.hasChanged)
            #expect(slice.array.first == 7)
        }
    }
}
