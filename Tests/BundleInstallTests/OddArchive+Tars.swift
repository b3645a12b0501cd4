import BundleArchive
import BundleInstall
import BundleTesting
import Testing

extension OddArchive {
    /// Features that only tar has.
    static let oddTars = tarHeaders + compressions

    /// The compression around a tar.
    private static let compressions = [
        OddArchive(
            "several gzip members, Zstandard frames or xz streams, one after another",
            takenIn: [:],
            OddArchiveVariant.compressed { $0 + $1 }
        ),
        OddArchive(
            "a Zstandard file that starts with a skippable frame",
            takenIn: [:],
            [
                OddArchiveVariant(
                    ZstandardFixture.skippable + ZstandardFixture(TarFixture(OddArchiveVariant.soundTar).bytes).bytes
                )
            ]
        ),
        OddArchive(
            "a Zstandard window of over 16 MiB",
            refused: ["needs a window of over 16 MiB of memory to be decompressed; repack it with “zstd -19” or less"],
            [25, 31].map { exponent in
                OddArchiveVariant(
                    ZstandardFixture(TarFixture(OddArchiveVariant.soundTar).bytes, windowExponent: exponent).bytes
                )
            }
        ),
        OddArchive(
            "an xz window of over 16 MiB, for more than 16 MiB",
            refused: ["needs a window of over 16 MiB of memory to be decompressed; repack it with “xz -6”"],
            [25, 28, 37].map { xz(dictionary: $0, paddedTo: 17 << 20) }
        ),
        OddArchive(
            "an xz window of up to 64 MiB, as `xz -9` has it, for no more than 16 MiB",
            takenIn: [:],
            [25, 28].map { xz(dictionary: $0, paddedTo: 0) }
        ),
    ]

    /// A valid tar in xz, with the dictionary size that `dictionary` encodes, and zeros at its end.
    private static func xz(dictionary: UInt8, paddedTo byteCount: Int) -> OddArchiveVariant {
        OddArchiveVariant { fixture in
            let files = ["bundle.json": OddArchiveVariant.manifest, "index.html": OddArchiveVariant.page]
            let padding = ["zeros.bin": String(repeating: "\u{0}", count: byteCount)]
            _ = try fixture.pack(byteCount == 0 ? files : files.merging(padding) { $1 }, .tarXz)
            let file = try fixture.directory.read("archive")
            return try #require(XzFixture.settingDictionary(dictionary, in: file))
        }.with { $0.limits.maximumCompressionRatio = .max }
    }

    private static let tarHeaders = [
        OddArchive(
            "sparse files",
            takenIn: [
                "hole.bin": String(repeating: "\u{0}", count: 2_000),
                "data.bin": String(repeating: "\u{0}", count: 1_024) + "odd" + String(repeating: "\u{0}", count: 973),
            ],
            [
                OddArchiveVariant(
                    ended(by: 0).bytes + DecompressionBomb.hole(byteCount: 2_000).prefix(512)
                        + TarFixture([sparse]).bytes
                )
            ]
        ),
        OddArchive(
            "a sparse file in over 10,000 pieces, in any of GNU tar's forms or Solaris's",
            refused: ["is a sparse file in over 10000 pieces"],
            SparseFixture.allCases.map { form in
                OddArchiveVariant(
                    TarFixture(OddArchiveVariant.soundTar + form.entries(pieceCount: 10_021)).bytes
                )
            }
        ),
        OddArchive(
            "a pax header with another path",
            takenIn: ["größe/page.html": "odd"],
            [pax(["path": "größe/page.html"]), pax(["path": "./größe/page.html"])]
        ),
        OddArchive(
            "a pax header whose path leaves the bundle",
            refused: ["leaves the bundle through “..”", "is an absolute path"],
            [pax(["path": "../evil.js"]), pax(["path": "/evil.js"])]
        ),
        OddArchive(
            "a pax header whose link leaves the bundle",
            refused: ["which leaves the bundle"],
            [pax(["linkpath": "../../etc/passwd"], typeFlag: "2")]
        ),
        OddArchive(
            "a pax header with a size that the data doesn't have",
            refused: ["a header's checksum doesn't match", "ends too early"],
            [pax(["size": "2"], content: [UInt8](repeating: 7, count: 700)), pax(["size": "100000"])]
        ),
        OddArchive(
            "a pax header for nothing",
            refused: ["is damaged"],
            [.tar(paxHeader(["path": "evil.js"]))]
        ),
        OddArchive(
            "no mark at the end, as when it is cut between two entries",
            refused: ["ends without its end mark"],
            [OddArchiveVariant(ended(by: 0).bytes), OddArchiveVariant(GzipFixture(ended(by: 1).bytes).bytes)]
        ),
        OddArchive(
            "a NUL in a pax or GNU tar header's name, or none",
            refused: ["has an empty name, or a NUL in its name, which programs read differently"],
            [
                .tar(longName("good.js\u{0}/../../evil.js"), entry), .tar(longName(""), entry),
                .tar(longName("index.html\u{0}a", "K"), link), pax(["path": "good.js\u{0}/../../evil.js"]),
                pax(["path": ""]), pax(["linkpath": "index.html\u{0}a"], typeFlag: "2"),
                pax(["GNU.sparse.name": "good.js\u{0}a"]),
            ]
        ),
        OddArchive(
            "a global pax header without a name or size",
            takenIn: ["plain.html": "odd"],
            [.tar(paxHeader(["comment": "a1b2c3"], "g"), entry)]
        ),
        OddArchive(
            "a global pax header with a name or size",
            refused: ["has a global pax header that changes the"],
            ["path", "linkpath", "size", "GNU.sparse.name"].map { key in .tar(paxHeader([key: "1"], "g"), entry) }
        ),
        OddArchive(
            "a pax header that isn't made of records",
            refused: ["has a pax header that is damaged"],
            ["12 path=a\n", "path=a\n", "0 a=b\n", "8 path=a", "9 path:a\n", "99999999999999999999 a=b\n"].map { text in
                .tar(TarFixtureEntry("pax", Array(text.utf8)).with { $0.typeFlag = "x" }, entry)
            }
        ),
        OddArchive(
            "several records of one key in one pax header",
            refused: [
                "has a pax header with several records for “path”, which programs read differently",
                "has a pax header with several records for “comment”, which programs read differently",
            ],
            [
                .tar(.pax([("path", "a.html"), ("path", "b.html")]), entry),
                .tar(.pax([("path", "a.html"), ("mtime", "1"), ("path", "a.html")]), entry),
                .tar(.pax([("comment", "a"), ("comment", "b")], "g"), entry),
            ]
        ),
        OddArchive(
            "an access list of over 64 KiB in a pax header",
            refused: ["has an access list of over 64 KiB"],
            ["access", "default", "ace"].map { kind in
                pax(["SCHILY.acl.\(kind)": (0..<10_000).map { "u:\($0):r" }.joined(separator: ",")])
            }
        ),
        OddArchive(
            "several headers of one kind for one entry",
            refused: ["has several headers for one entry, which programs read differently"],
            [
                .tar(longName("a"), longName("b"), entry), .tar(paxHeader(["path": "a"]), longName("b"), entry),
                .tar(longName("b"), paxHeader(["path": "a"]), entry),
                .tar(paxHeader(["path": "a"]), paxHeader(["comment": "b"], "g"), entry),
            ]
        ),
        OddArchive(
            "a link or a folder with data of its own",
            refused: ["isn't a file but has data, which programs read differently"],
            "125".map { flag in dataIn(flag) }
                + [
                    .tar(link.with { $0.declaredByteCount = 512 }), .tar(TarFixtureEntry("folder/", content)),
                    pax(["path": "folder/"]), .tar(paxHeader(["size": "3"]), link.with { $0.contents = content }),
                ]
        ),
        OddArchive(
            "a type flag that not every program knows",
            refused: ["is a special file of unknown type, not a file"],
            "8ADEINMVXZac\u{1}".map { flag in .tar(entry.with { $0.typeFlag = flag }) }
        ),
        OddArchive(
            "the type flags of a file, of which there are three",
            takenIn: ["a.js": "odd", "b.js": "odd", "c.js": "odd"],
            [
                .tar(
                    TarFixtureEntry("a.js", content),
                    TarFixtureEntry("b.js", content).with { $0.typeFlag = "\u{0}" },
                    TarFixtureEntry("c.js", content).with { $0.typeFlag = "7" }
                )
            ]
        ),
        OddArchive(
            "a size in a tar header that isn't a number",
            refused: ["has a size that isn't a number"],
            [
                "zzzz", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}", "            ", "-0000000003",
                "00000000003x", "\u{0}0000000003",
            ].map { text in
                .tar(entry.with { $0.overlay = [124: Array(text.utf8)] })
            } + [
                .tar(
                    entry.with {
                        $0.overlay = [124: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFD]]
                    }
                ),
                pax(["size": "-3"]), pax(["size": ""]), pax(["size": "99999999999999999999"]),
            ]
        ),
        OddArchive(
            "a size in base 256, or between spaces",
            takenIn: ["plain.html": "odd"],
            [
                .tar(entry.with { $0.overlay = [124: [0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]] }),
                .tar(entry.with { $0.overlay = [124: Array("         3 \u{0}".utf8)] }),
            ]
        ),
        OddArchive(
            "the map of a sparse file in a header of another kind",
            refused: ["has the map of a sparse file, which programs read differently"],
            [
                .tar(sparse.with { $0.typeFlag = "0" }), .tar(entry.with { $0.typeFlag = "S" }),
                .tar(sparse.with { $0.overlay[257] = Array("ustar\u{0}00".utf8) }),
                .tar(sparse.with { $0.overlay[386] = [0] }),
            ]
        ),
        OddArchive(
            "a tar header whose form is neither POSIX's nor GNU tar's",
            refused: ["has a header, which programs read differently"],
            [.tar(entry.with { $0.overlay = [257: Array("ustar ".utf8)] })]
        ),
        OddArchive(
            "a tar header before POSIX, without a magic",
            takenIn: ["plain.html": "odd"],
            [.tar(entry.with { $0.overlay = [257: [UInt8](repeating: 0, count: 8)] })]
        ),
        OddArchive(
            "a GNU long name that leaves the bundle",
            refused: ["leaves the bundle through “..”"],
            [.tar(longName("../evil.js"), entry)]
        ),
    ]

    private static let entry = TarFixtureEntry("plain.html", OddArchiveVariant.content)

    private static let content = OddArchiveVariant.content
    private static let link = TarFixtureEntry("link.html").with { entry in
        entry.typeFlag = "2"
        entry.linkTarget = "index.html"
    }

    /// An entry with data that should have none.
    private static func dataIn(_ typeFlag: Character) -> OddArchiveVariant {
        .tar(
            link.with { entry in
                entry.typeFlag = typeFlag
                entry.contents = content
            }
        )
    }

    /// GNU tar's header for the name of the next entry, or for its target (`K`).
    private static func longName(_ name: String, _ typeFlag: Character = "L") -> TarFixtureEntry {
        TarFixtureEntry("././@LongLink", Array(name.utf8) + [0]).with { $0.typeFlag = typeFlag }
    }

    /// In GNU's old form: 3 bytes at offset 1,024 of 2,000.
    private static let sparse = TarFixtureEntry("data.bin", OddArchiveVariant.content).with { entry in
        entry.typeFlag = "S"
        entry.overlay = [
            257: Array("ustar  \u{0}".utf8), 386: Array("00000002000".utf8), 398: Array("00000000003".utf8),
            410: Array("00000003720".utf8), 422: Array("00000000000".utf8), 483: Array("00000003720".utf8),
        ]
    }

    private static func ended(by endBlockCount: Int) -> TarFixture {
        var sound = TarFixture(OddArchiveVariant.soundTar)
        sound.endBlockCount = endBlockCount
        return sound
    }

    private static func pax(
        _ records: [String: String],
        typeFlag: Character = "0",
        content: [UInt8] = OddArchiveVariant.content
    ) -> OddArchiveVariant {
        .tar(
            paxHeader(records),
            entry.with { entry in
                entry.typeFlag = typeFlag
                entry.linkTarget = typeFlag == "2" ? "index.html" : ""
                entry.contents = typeFlag == "0" ? content : []
            }
        )
    }

    private static func paxHeader(_ records: [String: String], _ typeFlag: Character = "x") -> TarFixtureEntry {
        .pax(records.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, typeFlag)
    }
}
