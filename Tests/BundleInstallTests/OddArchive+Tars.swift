import BundleTesting

extension OddArchive {
    /// What only tar has.
    static let oddTars = [
        OddArchive(
            "a sparse file",
            takenIn: ["hole.bin": String(repeating: "\u{0}", count: 2_000)],
            [OddArchiveVariant(prefixed(DecompressionBomb.hole(byteCount: 2_000)))]
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
            refused: ["is damaged", "ends too early"],
            [pax(["size": "2"], content: [UInt8](repeating: 7, count: 700)), pax(["size": "100000"])]
        ),
        OddArchive(
            "a pax header for nothing",
            refused: ["is damaged", "ends too early"],
            [.tar(paxHeader(["path": "evil.js"]))]
        ),
        OddArchive(
            "a GNU long name that leaves the bundle",
            refused: ["leaves the bundle through “..”"],
            [.tar(TarFixtureEntry("././@LongLink", Array("../evil.js\u{0}".utf8)).with { $0.typeFlag = "L" }, entry)]
        ),
    ]

    private static let entry = TarFixtureEntry("plain.html", OddArchiveVariant.content)

    private static func prefixed(_ tar: [UInt8]) -> [UInt8] {
        var sound = TarFixture(OddArchiveVariant.soundTar)
        sound.endBlockCount = 0
        return sound.bytes + tar
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
                entry.contents = typeFlag == "0" ? content : []
            }
        )
    }

    /// A pax extended header (POSIX.1-2017, pax, “pax Header Block”): each record starts with its own length.
    private static func paxHeader(_ records: [String: String]) -> TarFixtureEntry {
        let text = records.sorted { $0.key < $1.key }.map { key, value in
            let rest = " \(key)=\(value)\n"
            let count = rest.utf8.count
            let length = count + String(count + String(count).utf8.count).utf8.count
            return "\(length)\(rest)"
        }
        return TarFixtureEntry("pax", Array(text.joined().utf8)).with { $0.typeFlag = "x" }
    }
}
