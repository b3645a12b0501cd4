import BundleTesting

extension OddArchive {
    /// Entries that only make sense on a running system.
    static let specialEntries = [
        OddArchive(
            "a character device",
            refused: ["is a character device, not a file"],
            [zipSpecial(0o020_644), tarSpecial("3")]
        ),
        OddArchive(
            "a block device",
            refused: ["is a block device, not a file"],
            [zipSpecial(0o060_644), tarSpecial("4")]
        ),
        OddArchive("a FIFO", refused: ["is a FIFO, not a file"], [zipSpecial(0o010_644), tarSpecial("6")]),
        OddArchive("a socket", refused: ["is a socket, not a file"], [zipSpecial(0o140_644)]),
        OddArchive(
            "an entry of an unknown type",
            refused: ["is a special file of unknown type, not a file"],
            [zipSpecial(0o150_644)]
        ),
        OddArchive(
            "setuid, setgid and sticky bits",
            takenIn: ["tool.js": "odd"],
            [
                .zip(ZipFixtureEntry("tool.js", OddArchiveVariant.content).with { $0.mode = 0o107_777 }),
                .tar(
                    TarFixtureEntry("tool.js", OddArchiveVariant.content).with {
                        $0.overlay = [100: Array("0007777".utf8)]
                    }
                ),
            ]
        ),
        OddArchive(
            "what macOS adds (`__MACOSX/`, `.DS_Store`)",
            takenIn: [:],
            warning: "3 files that macOS added were left out",
            OddArchiveVariant.files("__MACOSX/._index.html", ".DS_Store", "a/.DS_Store")
        ),
    ]

    private static func zipSpecial(_ mode: UInt32) -> OddArchiveVariant {
        .zip(ZipFixtureEntry("thing").with { $0.mode = mode })
    }

    private static func tarSpecial(_ typeFlag: Character) -> OddArchiveVariant {
        .tar(TarFixtureEntry("thing").with { $0.typeFlag = typeFlag })
    }
}
