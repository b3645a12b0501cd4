import BundleArchive
import BundleInstall
import BundleTesting

extension OddArchive {
    /// Archives over a limit; most limits are lowered to keep the archives small.
    static let limits = [
        OddArchive(
            "more entries than `--max-entries`",
            refused: ["has more than 2 entries"],
            OddArchiveVariant.files("a").map { limited($0) { $0.maximumEntryCount = 2 } }
        ),
        OddArchive(
            "more folders in the names of its entries than `--max-entries`",
            refused: ["has more than 5 folders in the names of its entries"],
            (OddArchiveVariant.files("a/b/c/d/e/f/g") + OddArchiveVariant.files("a/b/c/x", "a/d/e/y", "f/g"))
                .map { limited($0) { $0.maximumEntryCount = 5 } }
        ),
        OddArchive(
            "more bytes in all than `--max-size`",
            refused: ["makes the total size larger than 200 bytes"],
            large(150).map { limited($0) { $0.maximumTotalByteCount = 200 } }
        ),
        OddArchive(
            "more bytes in one file than `--max-file-size`",
            refused: ["is larger than 1000 bytes"],
            large(1_001).map { limited($0) { $0.maximumEntryByteCount = 1_000 } }
        ),
        OddArchive(
            "a decompression bomb, over `--max-ratio`",
            refused: ["unpacks to over 1000 times the archive's size, as a decompression bomb does"],
            [
                OddArchiveVariant(DecompressionBomb.hole(byteCount: 1 << 30)),
                packed(["zeros.bin": String(repeating: "\0", count: 20 << 20)], .tarZstandard) { $0 },
            ]
        ),
        OddArchive(
            "a compressed archive in a compressed archive, as the archive",
            refused: ["contains no tar archive under its compression"],
            [
                OddArchiveVariant(GzipFixture(GzipFixture(TarFixture(OddArchiveVariant.soundTar).bytes).bytes).bytes),
                OddArchiveVariant(GzipFixture(ZipFixture(OddArchiveVariant.soundZip).bytes).bytes),
            ]
        ),
        OddArchive(
            "an archive as a file of the bundle",
            takenIn: ["inner.zip": String(decoding: ZipFixture([]).bytes, as: UTF8.self)],
            [
                .zip(ZipFixtureEntry("inner.zip", ZipFixture([]).bytes)),
                .tar(TarFixtureEntry("inner.zip", ZipFixture([]).bytes)),
            ]
        ),
        OddArchive(
            "folders nested deeper than `--max-depth`",
            refused: ["lies deeper than 2 folders"],
            (OddArchiveVariant.files("a/b/c/d") + OddArchiveVariant.folders("a/b/c/"))
                .map { limited($0) { $0.maximumDepth = 2 } }
        ),
        OddArchive(
            "links that stand for more than `--max-entries` or `--max-size`",
            refused: ["its links stand for more files, or more bytes, than the limits allow"],
            [
                limited(
                    .zip(
                        ZipFixtureEntry("d/1", [1]),
                        ZipFixtureEntry("d/2", [2]),
                        ZipFixtureEntry("d/3", [3]),
                        folderLink
                    )
                ) { $0.maximumEntryCount = 7 },
                limited(.zip(ZipFixtureEntry("d/1", [UInt8](repeating: 1, count: 150)), folderLink)) {
                    $0.maximumTotalByteCount = 300
                },
            ]
        ),
        OddArchive(
            "reading that takes longer than `--max-time`",
            refused: ["takes longer to read than allowed"],
            OddArchiveVariant.files("a").map { variant in
                limited(variant) { limits in
                    limits.clock = TestClock(step: .seconds(60))
                    limits.maximumDuration = .seconds(150)
                }
            }
        ),
    ]

    private static let folderLink = ZipFixtureEntry("copy", Array("d".utf8)).with { $0.mode = 0o120_777 }

    private static func limited(
        _ variant: OddArchiveVariant,
        _ change: (inout ArchiveLimits) -> Void
    ) -> OddArchiveVariant {
        variant.with { change(&$0.limits) }
    }

    /// A zip and a tar with a file of `byteCount` bytes.
    private static func large(_ byteCount: Int) -> [OddArchiveVariant] {
        let content = [UInt8](repeating: 1, count: byteCount)
        return [.zip(ZipFixtureEntry("a", content)), .tar(TarFixtureEntry("a", content))]
    }
}
