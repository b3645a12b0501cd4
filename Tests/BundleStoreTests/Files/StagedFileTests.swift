import BundleTesting
import Foundation
import Testing

@testable import BundleStore

struct StagedFileTests {
    @Test("a copy has the length and digest of its source, and gets its place when it is published")
    func copy() async throws {
        try await withTemporaryDirectory { directory in
            let bytes = [UInt8](repeating: 7, count: 3 << 20 | 5)
            let original = try directory.write(bytes, to: "in")
            let staged = try StagedFile(for: directory.path(of: "out"))
            var steps: [ByteProgress] = []
            let (byteCount, digest) = try staged.copy(original) { steps.append($0) }
            #expect((byteCount, digest) == (Int64(bytes.count), Digest(of: bytes)))
            #expect(steps.count == 4)
            #expect(!FileManager.default.fileExists(atPath: directory.path(of: "out")))
            try staged.publish()
            #expect(try directory.read("out") == bytes)
        }
    }

    @Test("an unpublished file is removed")
    func removed() async throws {
        try await withTemporaryDirectory { directory in
            let original = try directory.write("x", to: "in")
            func stage() throws {
                let staged = try StagedFile(for: directory.path(of: "out"))
                _ = try staged.copy(original) { _ in }
                #expect(try directory.snapshot().files.count == 2)
            }
            try stage()
            #expect(try directory.snapshot().files.keys.sorted() == ["in"])
        }
    }
}
