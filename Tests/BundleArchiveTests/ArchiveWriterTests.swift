import BundleArchive
import BundleModel
import BundleTesting
import Foundation
import Testing

@Suite struct ArchiveWriterTests {
    @Test(arguments: ArchiveFormat.allCases)
    func `the same files give the same bytes`(format: ArchiveFormat) throws {
        let first = try SampleArchive.bytes(format, files: SampleArchive.files)
        #expect(try SampleArchive.bytes(format, files: SampleArchive.files) == first)
        // Neither the user's name nor the time is in the archive.
        #expect(first.firstRange(of: Array("root".utf8)) == nil)
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `a descriptor gives the same archive as memory`(format: ArchiveFormat) throws {
        let contents = SampleArchive.pattern(count: 700_000)
        let source = try ScratchFile(contents)
        let target = try ScratchFile()
        let handle = try #require(FileHandle(forReadingAtPath: source.path))
        let writer = try ArchiveWriter(path: target.path, format: format)
        try writer.add(name: "a.bin", byteCount: 700_000, from: handle.fileDescriptor)
        try writer.finish()
        #expect(try target.bytes == SampleArchive.bytes(format, files: [("a.bin", contents)]))
    }

    @Test func `a file that became shorter is an error`() throws {
        let source = try ScratchFile([1, 2, 3])
        let handle = try #require(FileHandle(forReadingAtPath: source.path))
        let target = try ScratchFile()
        let writer = try ArchiveWriter(path: target.path, format: .tar)
        let error = #expect(throws: ArchiveError.self) {
            try writer.add(name: "a.bin", byteCount: 4, from: handle.fileDescriptor)
        }
        #expect(error?.code == .unreadable)
        #expect(error?.entryName == "a.bin")
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `what progress throws ends a file, at any chunk`(format: ArchiveFormat) throws {
        let source = try ScratchFile(SampleArchive.pattern(count: 700_000))
        let handle = try #require(FileHandle(forReadingAtPath: source.path))
        let writer = try ArchiveWriter(path: ScratchFile().path, format: format)
        var steps: [Int64] = []
        #expect(throws: CancellationError.self) {
            try writer.add(name: "a.bin", byteCount: 700_000, from: handle.fileDescriptor) { progress in
                #expect(progress.total == 700_000)
                steps.append(progress.done)
                if progress.done > 0 { throw CancellationError() }
            }
        }
        #expect(steps == [0, 64 << 10])
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `an archive that wasn't finished can't be read`(format: ArchiveFormat) throws {
        let target = try ScratchFile()
        do {
            let writer = try ArchiveWriter(path: target.path, format: format)
            try SampleArchive.pattern(count: 500_000).withUnsafeBytes { try writer.add(name: "a", contents: $0) }
        }
        #expect(throws: ArchiveError.self) { try ArchiveContents(path: target.path) }
    }

    @Test func `a folder that can't be written is an error`() {
        let error = #expect(throws: ArchiveError.self) {
            try ArchiveWriter(path: "/no/such/folder/a.zip", format: .zip)
        }
        #expect(error?.code == .unwritable)
    }

    @Test func `a full disk is an error`() throws {
        let error = #expect(throws: ArchiveError.self) {
            let writer = try ArchiveWriter(path: "/dev/full", format: .tar)
            try SampleArchive.pattern(count: 100_000).withUnsafeBytes { try writer.add(name: "a", contents: $0) }
            try writer.finish()
        }
        #expect(error?.code == .unwritable)
    }
}
