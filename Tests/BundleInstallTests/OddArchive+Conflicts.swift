import BundleTesting

extension OddArchive {
    /// Names that conflict, or seem to.
    static let conflicts = [
        OddArchive(
            "two files whose names are equal after Unicode normalisation",
            refused: ["comes twice"],
            OddArchiveVariant.files("caf\u{E9}.html", "cafe\u{301}.html")
        ),
        OddArchive(
            "two folders whose names are equal after Unicode normalisation",
            takenIn: ["café/a.html": "odd", "café/b.html": "odd"],
            OddArchiveVariant.files("caf\u{E9}/a.html", "cafe\u{301}/b.html")
        ),
        OddArchive(
            "two files whose names differ only in case",
            refused: ["differ only in upper and lower case"],
            OddArchiveVariant.files("README", "readme") + OddArchiveVariant.files("a/Ä.js", "a/ä.js")
        ),
        OddArchive(
            "two folders whose names differ only in case",
            refused: ["differ only in upper and lower case"],
            OddArchiveVariant.files("A/x", "a/y") + OddArchiveVariant.folders("Ä/", "ä/")
        ),
        OddArchive(
            "a file and a folder whose names differ only in case",
            refused: ["differ only in upper and lower case"],
            OddArchiveVariant.files("A", "a/y")
        ),
        OddArchive(
            "the same name twice",
            refused: ["comes twice"],
            OddArchiveVariant.files("a.js", "a.js") + OddArchiveVariant.files("a.js", "./a.js")
                + OddArchiveVariant.files("bundle.json")
        ),
        OddArchive(
            "the same folder twice",
            takenIn: [:],
            OddArchiveVariant.folders("a/", "a/", "a/b/", "a/") + OddArchiveVariant.folders("./")
        ),
        OddArchive(
            "a file where a folder is needed",
            refused: ["“a” is a file and a folder"],
            OddArchiveVariant.files("a", "a/b/c")
                + [
                    .zip(file, OddArchiveVariant.zipFolder("a/b/")),
                    .tar(tarFile, OddArchiveVariant.tarFolder("a/b/")),
                    // The folder that is listed must not hide the one above it.
                    .tar(OddArchiveVariant.tarFolder("a/b/"), tarFile, TarFixtureEntry("a/b/c", [2])),
                ]
        ),
        OddArchive(
            "a folder where a file is needed",
            refused: ["“a” is a file and a folder"],
            OddArchiveVariant.files("a/b/c", "a")
                + [.zip(OddArchiveVariant.zipFolder("a/"), file), .tar(OddArchiveVariant.tarFolder("a/"), tarFile)]
        ),
    ]

    private static let file = ZipFixtureEntry("a", OddArchiveVariant.content)
    private static let tarFile = TarFixtureEntry("a", OddArchiveVariant.content)
}
