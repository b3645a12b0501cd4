import BundleArchive
import BundleInstall
import BundleTesting

/// One archive with something odd.
struct OddArchiveVariant: Sendable {
    /// The content of every odd file.
    static let text = "odd"
    static let content = Array(text.utf8)
    /// The manifest in every archive, without which no release is installed.
    static let manifest = InstallFixture.manifest("2.0.0")
    static let page = "<p>2"

    let bytes: @Sendable (InstallFixture) throws -> [UInt8]
    var options = InstallOptions()

    /// An archive that is created when it is needed.
    init(_ bytes: @escaping @Sendable (InstallFixture) throws -> [UInt8]) {
        self.bytes = bytes
    }

    init(_ bytes: @escaping @autoclosure @Sendable () throws -> [UInt8]) {
        self.bytes = { _ in try bytes() }
    }

    /// The same archive, installed with other options.
    func with(_ change: (inout InstallOptions) -> Void) -> OddArchiveVariant {
        var variant = self
        change(&variant.options)
        return variant
    }

    static var soundZip: [ZipFixtureEntry] {
        [ZipFixtureEntry("bundle.json", Array(manifest.utf8)), ZipFixtureEntry("index.html", Array(page.utf8))]
    }

    static var soundTar: [TarFixtureEntry] {
        [TarFixtureEntry("bundle.json", Array(manifest.utf8)), TarFixtureEntry("index.html", Array(page.utf8))]
    }

    /// A zip of a valid manifest and page, and of `entries`.
    static func zip(_ entries: ZipFixtureEntry...) -> OddArchiveVariant {
        OddArchiveVariant(ZipFixture(soundZip + entries).bytes)
    }

    /// A valid zip after `change`.
    static func zip(_ change: @escaping @Sendable (inout ZipFixture) -> Void) -> OddArchiveVariant {
        OddArchiveVariant { _ in
            var fixture = ZipFixture(soundZip)
            change(&fixture)
            return fixture.bytes
        }
    }

    /// A tar of a valid manifest and page, and of `entries`.
    static func tar(_ entries: TarFixtureEntry...) -> OddArchiveVariant {
        OddArchiveVariant(TarFixture(soundTar + entries.flatMap(withLongName)).bytes)
    }

    /// A valid tar in gzip, Zstandard and xz, after `change`, which also receives a second, empty part in the same
    /// compression.
    static func compressed(_ change: @escaping @Sendable ([UInt8], _ empty: [UInt8]) -> [UInt8]) -> [OddArchiveVariant]
    {
        [
            OddArchiveVariant(change(GzipFixture(TarFixture(soundTar).bytes).bytes, GzipFixture([]).bytes)),
            OddArchiveVariant(change(ZstandardFixture(TarFixture(soundTar).bytes).bytes, ZstandardFixture([]).bytes)),
            OddArchiveVariant { fixture in
                _ = try fixture.pack([:], .tarXz)
                let empty = try fixture.directory.read("archive")
                _ = try fixture.pack(["bundle.json": manifest, "index.html": page], .tarXz)
                return change(try fixture.directory.read("archive"), empty)
            },
        ]
    }

    /// As above, without the second part.
    static func compressed(_ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> [OddArchiveVariant] {
        compressed { file, _ in change(file) }
    }

    /// A zip and a tar with files of these names.
    static func files(_ names: String...) -> [OddArchiveVariant] { files(names) }

    /// A zip and a tar for each of the names, with one file.
    static func eachFile(_ names: String...) -> [OddArchiveVariant] { names.flatMap { files([$0]) } }

    /// A zip and a tar with folders of these names, which end in slashes.
    static func folders(_ names: String...) -> [OddArchiveVariant] {
        [
            OddArchiveVariant(ZipFixture(soundZip + names.map { name in zipFolder(name) }).bytes),
            OddArchiveVariant(TarFixture(soundTar + names.flatMap { withLongName(tarFolder($0)) }).bytes),
        ]
    }

    static func zipFolder(_ name: String) -> ZipFixtureEntry {
        ZipFixtureEntry(name).with { $0.mode = 0o040_755 }
    }

    static func tarFolder(_ name: String) -> TarFixtureEntry {
        TarFixtureEntry(name).with { $0.typeFlag = "5" }
    }

    /// A zip and a tar with a file whose name is `name`, without an encoding mark.
    static func rawName(_ name: [UInt8], _ charset: ArchiveCharset? = nil) -> [OddArchiveVariant] {
        let entries = (
            ZipFixtureEntry(name: name, contents: content).with { $0.flags = 0 },
            TarFixtureEntry(name: name, contents: content)
        )
        return [zip(entries.0), tar(entries.1)].map { variant in variant.with { $0.charset = charset } }
    }

    private static func files(_ names: [String]) -> [OddArchiveVariant] {
        [
            OddArchiveVariant(ZipFixture(soundZip + names.map { ZipFixtureEntry($0, content) }).bytes),
            OddArchiveVariant(
                TarFixture(soundTar + names.flatMap { withLongName(TarFixtureEntry($0, content)) }).bytes
            ),
        ]
    }

    /// GNU tar's representation of names over 100 bytes.
    private static func withLongName(_ entry: TarFixtureEntry) -> [TarFixtureEntry] {
        guard entry.name.count > 100 else { return [entry] }
        let long = TarFixtureEntry("././@LongLink", entry.name + [0])
        return [long.with { $0.typeFlag = "L" }, entry]
    }
}
