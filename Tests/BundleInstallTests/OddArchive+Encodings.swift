import BundleArchive
import BundleInstall
import BundleTesting

extension OddArchive {
    /// Names that aren't UTF-8, and those that are.
    static let encodings = [
        OddArchive(
            "a name that isn't UTF-8, without `--charset`",
            refused: ["has a name that isn't UTF-8"],
            [gbk, shiftJIS, cp437, latin1].flatMap { OddArchiveVariant.rawName($0) }
        ),
        OddArchive(
            "a link to a name that isn't UTF-8, without `--charset`",
            refused: ["has a name that isn't UTF-8"],
            linksToGBK
        ),
        OddArchive(
            "a link to a name that isn't UTF-8, with `--charset gbk`",
            takenIn: ["中文/页面.html": "odd", "link.html": "odd"],
            linksToGBK.map { variant in variant.with { $0.charset = .gbk } }
        ),
        OddArchive(
            "a name that isn't UTF-8, with `--charset gbk`",
            takenIn: ["中文/页面.html": "odd"],
            OddArchiveVariant.rawName(gbk, .gbk)
        ),
        OddArchive(
            "a name that isn't UTF-8, with `--charset shift_jis`",
            takenIn: ["日本語/ページ.html": "odd"],
            OddArchiveVariant.rawName(shiftJIS, .shiftJIS)
        ),
        OddArchive(
            "a name that isn't UTF-8, with `--charset cp437`",
            takenIn: ["größe/naïve.html": "odd"],
            OddArchiveVariant.rawName(cp437, .cp437)
        ),
        OddArchive(
            "a name that isn't UTF-8, with `--charset latin1`",
            takenIn: ["größe/élan.html": "odd"],
            OddArchiveVariant.rawName(latin1, .latin1)
        ),
        OddArchive(
            "a name that isn't of the charset given",
            refused: ["has a name that isn't gbk either"],
            OddArchiveVariant.rawName([0x61, 0xFF, 0xFF, 0x62], .gbk)
        ),
        OddArchive(
            "a name that leaves the bundle once it is decoded",
            refused: ["leaves the bundle through “..”"],
            OddArchiveVariant.rawName(Array("../".utf8) + gbk, .gbk)
        ),
        OddArchive(
            "a name that is marked as UTF-8 and isn't",
            refused: ["has a name that is marked as UTF-8 but isn't"],
            [.zip(ZipFixtureEntry(name: gbk, contents: OddArchiveVariant.content))]
        ),
        OddArchive(
            "a name that is marked as UTF-8, with `--charset`",
            takenIn: ["größe.html": "odd"],
            [OddArchiveVariant.files("größe.html")[0].with { $0.charset = .gbk }]
        ),
        OddArchive(
            "a name in UTF-8 that isn't marked",
            takenIn: ["größe.html": "odd"],
            OddArchiveVariant.rawName(Array("größe.html".utf8))
        ),
    ]

    /// The link comes first, so that it is the entry that is refused.
    private static let linksToGBK: [OddArchiveVariant] =
        "12".map { flag in
            let link = TarFixtureEntry("link.html").with { entry in
                entry.typeFlag = flag
                entry.overlay = [157: gbk]
            }
            return .tar(link, TarFixtureEntry(name: gbk, contents: OddArchiveVariant.content))
        } + [
            .zip(
                ZipFixtureEntry(name: Array("link.html".utf8), contents: gbk).with { entry in
                    entry.flags = 0
                    entry.mode = 0o120_777
                },
                ZipFixtureEntry(name: gbk, contents: OddArchiveVariant.content).with { $0.flags = 0 }
            )
        ]

    private static let gbk: [UInt8] = [
        0xD6, 0xD0, 0xCE, 0xC4, 0x2F, 0xD2, 0xB3, 0xC3, 0xE6, 0x2E, 0x68, 0x74, 0x6D, 0x6C,
    ]
    private static let shiftJIS: [UInt8] = [
        0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA, 0x2F, 0x83, 0x79, 0x81, 0x5B, 0x83, 0x57, 0x2E, 0x68, 0x74, 0x6D, 0x6C,
    ]
    private static let cp437: [UInt8] = [
        0x67, 0x72, 0x94, 0xE1, 0x65, 0x2F, 0x6E, 0x61, 0x8B, 0x76, 0x65, 0x2E, 0x68, 0x74, 0x6D, 0x6C,
    ]
    private static let latin1: [UInt8] = [
        0x67, 0x72, 0xF6, 0xDF, 0x65, 0x2F, 0xE9, 0x6C, 0x61, 0x6E, 0x2E, 0x68, 0x74, 0x6D, 0x6C,
    ]
}
