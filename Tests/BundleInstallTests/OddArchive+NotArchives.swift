import BundleArchive
import BundleTesting

extension OddArchive {
    /// Files that aren't archives, are truncated, or contain nothing.
    static let notArchives = [
        OddArchive(
            "an HTML page saved as an archive, as an error page is",
            refused: ["isn't an archive but an HTML page"],
            texts("<!DOCTYPE html><title>404</title>", "\u{FEFF}\n<html lang=en>", "<!-- x --><p>", "<head><title>")
        ),
        OddArchive(
            "JSON or XML",
            refused: ["isn't an archive but JSON text", "isn't an archive but an XML document"],
            texts(#"{"message": "Not Found"}"#, "[]", "<?xml version='1.0'?><Error/>")
        ),
        OddArchive(
            "a Git LFS pointer",
            refused: ["isn't an archive but a Git LFS pointer"],
            texts("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
        ),
        OddArchive("an empty file", refused: ["is an empty file"], texts("")),
        OddArchive(
            "other text, or other bytes",
            refused: ["isn't an archive, or its start is damaged"],
            texts("Not Found\n", "\u{1}\u{2}\u{3}")
        ),
        OddArchive(
            "an archive of another kind",
            refused: ["is a RAR archive", "is a 7-Zip archive", "is bzip2-compressed"],
            [
                OddArchiveVariant(Array("Rar!\u{1A}\u{7}\u{1}\u{0}".utf8)),
                OddArchiveVariant([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0, 4]), OddArchiveVariant(Array("BZh91AY".utf8)),
            ]
        ),
        OddArchive(
            "an empty archive",
            refused: ["holds no file"],
            ArchiveFormat.allCases.map { format in packed([:], format) { $0 } }
        ),
        OddArchive(
            "only folders",
            refused: ["holds no file"],
            [
                OddArchiveVariant(ZipFixture(["a/", "a/b/"].map(OddArchiveVariant.zipFolder)).bytes),
                OddArchiveVariant(TarFixture(["a/", "a/b/", "./"].map(OddArchiveVariant.tarFolder)).bytes),
            ]
        ),
        OddArchive(
            "truncated, at each tenth of each format",
            refused: ["ends too early"],
            ArchiveFormat.allCases.flatMap { format in
                (1..<10).map { tenth in
                    packed(InstallFixture.files("2.0.0"), format) { Array($0.prefix($0.count * tenth / 10)) }
                }
            }
        ),
    ]

    private static func texts(_ texts: String...) -> [OddArchiveVariant] {
        texts.map { text in OddArchiveVariant(Array(text.utf8)) }
    }

    static func packed(
        _ files: [String: String],
        _ format: ArchiveFormat,
        _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> OddArchiveVariant {
        OddArchiveVariant { fixture in
            _ = try fixture.pack(files, format)
            return change(try fixture.directory.read("archive"))
        }
    }
}
