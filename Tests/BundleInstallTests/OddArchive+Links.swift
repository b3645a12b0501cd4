import BundleTesting

extension OddArchive {
    /// Symbolic and hard links.
    static let links = soundLinks + badLinks

    private static let soundLinks = [
        OddArchive(
            "a link to a file of the bundle",
            takenIn: ["copy.html": OddArchiveVariant.page],
            [zipLink("copy.html", "index.html")] + tarLinks("copy.html", "index.html")
        ),
        OddArchive(
            "a link that goes up and comes down inside the bundle",
            takenIn: ["d/copy.html": OddArchiveVariant.page],
            [zipLink("d/copy.html", "../index.html"), tarLinks("d/copy.html", ".././index.html")[1]]
        ),
        OddArchive(
            "a link to a folder of the bundle",
            takenIn: ["v2/page.html": "odd", "latest/page.html": "odd"],
            [
                .zip(ZipFixtureEntry("v2/page.html", OddArchiveVariant.content), zipEntry("latest", "v2")),
                .tar(TarFixtureEntry("v2/page.html", OddArchiveVariant.content), tarEntry("latest", "v2", "2")),
            ]
        ),
        OddArchive(
            "a link to a link",
            takenIn: ["a.html": OddArchiveVariant.page, "b.html": OddArchiveVariant.page],
            [
                .zip(zipEntry("a.html", "b.html"), zipEntry("b.html", "index.html")),
                .tar(tarEntry("a.html", "b.html", "2"), tarEntry("b.html", "index.html", "1")),
            ]
        ),
    ]

    private static let badLinks = [
        OddArchive(
            "a link that leaves the bundle",
            refused: ["which leaves the bundle"],
            eachLink("../../etc/passwd") + eachLink("d/../../index.html")
        ),
        OddArchive(
            "a link to an absolute path",
            refused: ["is a link to “/etc/passwd”, which leaves the bundle"],
            eachLink("/etc/passwd")
        ),
        OddArchive("a link that dangles", refused: ["which isn't there"], eachLink("missing.html")),
        OddArchive(
            "a link that loops",
            refused: ["which leads back to the link"],
            eachLink("link") + eachLink(".")
                + [
                    .zip(zipEntry("a", "b"), zipEntry("b", "a")),
                    .tar(tarEntry("a", "b", "2"), tarEntry("b", "a", "2")),
                ]
        ),
        OddArchive(
            "a link in a zip whose target has a NUL",
            refused: ["is a link to a path with a NUL byte"],
            [zipLink("link", "index.html\u{0}/../../etc")]
        ),
        OddArchive(
            "a link whose target has over 4,096 bytes",
            refused: ["is a link to a path of over 4096 bytes"],
            [zipLink("link", longTarget)]
                + "12".flatMap { typeFlag -> [OddArchiveVariant] in
                    let link = tarEntry("link", "x", typeFlag)
                    let name = TarFixtureEntry("@", Array(longTarget.utf8)).with { $0.typeFlag = "K" }
                    return [.tar(name, link), .tar(.pax([("linkpath", longTarget)]), link)]
                }
        ),
        OddArchive(
            "a link's mode in a zip that wasn't made on Unix",
            takenIn: ["link": "index.html"],
            [.zip(zipEntry("link", "index.html").with { $0.host = 0 })]
        ),
        OddArchive(
            "a link that leads on through more than 40 others",
            refused: ["which leads on through over 40 links"],
            [
                OddArchiveVariant(
                    TarFixture(
                        OddArchiveVariant.soundTar
                            + (0...40).map { tarEntry("l\($0)", $0 == 0 ? "index.html" : "l\($0 - 1)", "2") }
                    ).bytes
                )
            ]
        ),
        OddArchive(
            "links to folders with links to folders, and so on",
            refused: ["one of too many that lead to folders with links"],
            [
                OddArchiveVariant(
                    TarFixture(
                        [TarFixtureEntry("d20/a", [1])]
                            + (0..<20).flatMap { level in
                                ["x", "y"].map { tarEntry("d\(level)/\($0)", "../d\(level + 1)", "2") }
                            }
                    ).bytes
                )
            ]
        ),
        OddArchive(
            "over 30,000 links, or 4 MB of their names, or of what they lead to",
            refused: [
                "there are over 30000 links, or their names come to over 4 MB",
                "one of too many that lead to long names",
            ],
            [
                OddArchiveVariant(
                    TarFixture(
                        (0..<1_001).flatMap { number in
                            let target = TarFixtureEntry("@", [UInt8](repeating: 0x61, count: 4_000))
                            return [target.with { $0.typeFlag = "K" }, tarEntry("l\(number)", "a", "2")]
                        }
                    ).bytes
                ),
                OddArchiveVariant(
                    TarFixture(
                        [
                            .pax([("path", longFolder + "/a.html")]),
                            TarFixtureEntry("file", OddArchiveVariant.content),
                            .pax([("linkpath", longFolder)]), tarEntry("f", "x", "2"),
                        ] + (0..<1_100).map { tarEntry("l\($0)", "f/a.html", "2") }
                    ).bytes
                ),
            ]
        ),
        OddArchive(
            "a link, then a file through it, in either order",
            refused: ["“d” is a link, and other entries lie below it"],
            [
                .zip(zipEntry("d", "index.html"), ZipFixtureEntry("d/x", [1])),
                .zip(ZipFixtureEntry("d/x", [1]), zipEntry("d", "index.html")),
                .tar(tarEntry("d", "../..", "2"), TarFixtureEntry("d/x", [1])),
                .tar(TarFixtureEntry("d/x", [1]), tarEntry("d", "/tmp", "2")),
            ]
        ),
        OddArchive(
            "a link and a file of one name",
            refused: ["comes twice"],
            [
                .zip(zipEntry("a", "index.html"), ZipFixtureEntry("a", [1])),
                .tar(tarEntry("a", "index.html", "2"), TarFixtureEntry("a", [1])),
                .tar(TarFixtureEntry("a", [1]), tarEntry("a", "index.html", "1")),
            ]
        ),
        OddArchive(
            "a link under an odd name",
            refused: ["leaves the bundle through “..”"],
            [zipLink("../a", "index.html")] + tarLinks("../a", "index.html")
        ),
    ]

    private static let longTarget = String(repeating: "./", count: 2_048) + "index.html"
    private static let longFolder = Array(repeating: String(repeating: "d", count: 250), count: 15).joined(
        separator: "/"
    )

    private static func zipEntry(_ name: String, _ target: String) -> ZipFixtureEntry {
        ZipFixtureEntry(name, Array(target.utf8)).with { $0.mode = 0o120_777 }
    }

    private static func zipLink(_ name: String, _ target: String) -> OddArchiveVariant { .zip(zipEntry(name, target)) }

    private static func tarEntry(_ name: String, _ target: String, _ typeFlag: Character) -> TarFixtureEntry {
        TarFixtureEntry(name).with { entry in
            entry.typeFlag = typeFlag
            entry.linkTarget = target
        }
    }

    /// A hard link and a symbolic one.
    private static func tarLinks(_ name: String, _ target: String) -> [OddArchiveVariant] {
        [.tar(tarEntry(name, target, "1")), .tar(tarEntry(name, target, "2"))]
    }

    private static func eachLink(_ target: String) -> [OddArchiveVariant] {
        [zipLink("link", target)] + tarLinks("link", target)
    }
}
