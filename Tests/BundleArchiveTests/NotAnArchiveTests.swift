import BundleArchive
import BundleTesting
import Testing

@Suite struct NotAnArchiveTests {
    @Test(
        "a file that isn't an archive is refused, and the error says what it is",
        arguments: [
            ([], .notAnArchive, "empty file"),
            (Array("<!DOCTYPE html><html><title>404</title>".utf8), .notAnArchive, "HTML page"),
            (Array("\u{FEFF}\n  <HTML lang=en>".utf8), .notAnArchive, "HTML page"),
            (Array("<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>".utf8), .notAnArchive, "XML"),
            (Array(#"{"message": "Not Found"}"#.utf8), .notAnArchive, "JSON"),
            (Array("version https://git-lfs.github.com/spec/v1\noid sha256:00".utf8), .notAnArchive, "Git LFS"),
            (Array("plain text".utf8), .notAnArchive, "isn't an archive"),
            ([UInt8](repeating: 0, count: 100), .notAnArchive, "isn't an archive"),
            (Array("Rar!\u{1A}\u{7}\u{1}\u{0}".utf8), .unsupportedFormat, "RAR"),
            ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0, 4], .unsupportedFormat, "7-Zip"),
            (Array("BZh91AY&SY".utf8), .unsupportedFormat, "bzip2"),
            (Array("PK\u{7}\u{8}PK\u{3}\u{4}".utf8), .unsupportedFormat, "split"),
        ] as [([UInt8], ArchiveError.Code, String)]
    )
    func refusal(bytes: [UInt8], code: ArchiveError.Code, words: String) throws {
        let error = try #require(try ExtractedFiles.error(of: bytes))
        #expect(error.code == code)
        #expect(error.message.contains(words))
        #expect(!error.message.contains("\n"))
    }

    @Test func `compressed data that contains no tar is refused`() throws {
        for inner in [Array("hello".utf8), SampleArchive.pattern(count: 2_000), try SampleArchive.bytes(.zip)] {
            #expect(try ExtractedFiles.error(of: GzipFixture(inner).bytes)?.code == .notAnArchive)
        }
    }

    @Test func `a second layer of compression isn't removed`() throws {
        var bytes = try SampleArchive.bytes(.tar)
        for _ in 0..<20 { bytes = GzipFixture(bytes).bytes }
        #expect(try ExtractedFiles.error(of: bytes)?.code == .notAnArchive)
    }

    @Test(arguments: [
        ("shop.zip", ArchiveFormat.zip), ("SHOP.ZIP", .zip), ("shop.tar", .tar), ("shop-1.0.tar.gz", .tarGzip),
        ("shop.tgz", .tarGzip), ("shop.tar.xz", .tarXz), ("shop.txz", .tarXz), ("shop.tar.zst", .tarZstandard),
        ("shop.tzst", .tarZstandard), ("shop.gz", nil), ("shop", nil), ("zip", nil), ("", nil),
    ])
    func `a file name tells the format to write`(name: String, format: ArchiveFormat?) {
        #expect(ArchiveFormat(fileName: name) == format)
    }
}
