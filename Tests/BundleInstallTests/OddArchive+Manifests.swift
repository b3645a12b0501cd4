import BundleStore
import BundleTesting

extension OddArchive {
    /// The places of a manifest.
    static let manifests = [
        OddArchive(
            "a single top folder with the manifest in it",
            takenIn: ["page.html": "odd"],
            placed("dist/bundle.json", "dist/index.html", "dist/page.html")
                + placed("shop-1.0.0/page.html", "shop-1.0.0/index.html", "shop-1.0.0/bundle.json")
        ),
        OddArchive(
            "a manifest that is a link, at the root or in the single top folder",
            takenIn: ["first.json": OddArchiveVariant.manifest],
            ["", "dist/"].flatMap { top in "12".map { flag in linked(top, flag) } }
        ),
        OddArchive(
            "a manifest that is a link to a folder",
            refused: ["has no bundle.json at its root or in its single top folder"],
            code: .invalidManifest,
            [
                OddArchiveVariant(
                    TarFixture([TarFixtureEntry("a/b", [1]), link("bundle.json", "a", "2")]).bytes
                )
            ]
        ),
        OddArchive(
            "a manifest at the root and another in a folder",
            takenIn: ["inner/bundle.json": OddArchiveVariant.manifest],
            placed("inner/bundle.json", "bundle.json", "index.html")
                + placed("bundle.json", "index.html", "inner/bundle.json")
        ),
        OddArchive(
            "a manifest in each of two top folders",
            refused: ["has no bundle.json at its root or in its single top folder"],
            code: .invalidManifest,
            placed("a/bundle.json", "b/bundle.json")
        ),
        OddArchive(
            "a manifest in one of two top folders, beside a file, or deeper",
            refused: ["has no bundle.json at its root or in its single top folder"],
            code: .invalidManifest,
            placed("a/bundle.json", "b/page.html") + placed("a/bundle.json", "page.html") + placed("a/b/bundle.json")
        ),
    ]

    /// A tar as GNU tar writes a manifest with two names: the second is a link to the first.
    private static func linked(_ top: String, _ typeFlag: Character) -> OddArchiveVariant {
        let target = typeFlag == "1" ? top + "first.json" : "first.json"
        return OddArchiveVariant(
            TarFixture([
                TarFixtureEntry(top + "first.json", Array(OddArchiveVariant.manifest.utf8)),
                TarFixtureEntry(top + "index.html", Array(OddArchiveVariant.page.utf8)),
                link(top + "bundle.json", target, typeFlag),
            ]).bytes
        )
    }

    private static func link(_ name: String, _ target: String, _ typeFlag: Character) -> TarFixtureEntry {
        TarFixtureEntry(name).with { entry in
            entry.typeFlag = typeFlag
            entry.linkTarget = target
        }
    }

    /// A zip and a tar of only these files.
    private static func placed(_ names: String...) -> [OddArchiveVariant] {
        let files = names.map { name in
            let text =
                name.hasSuffix("bundle.json")
                ? OddArchiveVariant.manifest
                : name.hasSuffix("index.html") ? OddArchiveVariant.page : OddArchiveVariant.text
            return (name, Array(text.utf8))
        }
        return [
            OddArchiveVariant(ZipFixture(files.map { ZipFixtureEntry($0.0, $0.1) }).bytes),
            OddArchiveVariant(TarFixture(files.map { TarFixtureEntry($0.0, $0.1) }).bytes),
        ]
    }
}
