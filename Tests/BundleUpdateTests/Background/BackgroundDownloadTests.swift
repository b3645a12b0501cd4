import BundleStore
import BundleUpdate
import Testing

@Suite("Files that the system downloads")
struct BackgroundDownloadTests {
    private static let archive = Digest(of: Array("archive".utf8))
    private static let file = Digest(of: Array("file".utf8))

    private static func download(
        _ bundle: BundleName = "shop",
        _ digest: Digest = Self.file,
        size: Int64 = 42
    ) -> BackgroundDownload {
        BackgroundDownload(bundle: bundle, archive: archive, digest: digest, size: size)
    }

    @Test("a description is read as it was written")
    func description() {
        let text = Self.download().description
        #expect(text == "offline-bundles/1 shop \(Self.archive.hex) \(Self.file.hex) 42")
        #expect(BackgroundDownload(text) == Self.download())
    }

    @Test(
        "another description isn't read",
        arguments: [
            "", "download", "offline-bundles/2 shop A F 42", "offline-bundles/1 shop A F",
            "offline-bundles/1 shop A F 42 ",
            "offline-bundles/1 ../shop A F 42", "offline-bundles/1 shop A f 42", "offline-bundles/1 shop A F 0",
            "offline-bundles/1 shop A F -1", "offline-bundles/1 shop A F +42", "offline-bundles/1 shop A F 042",
            "offline-bundles/1 shop A F 9223372036854775808", "offline-bundles/1  A F 42",
        ]
    )
    func unreadable(_ pattern: String) {
        let text = pattern.replacing(" A ", with: " \(Self.archive.hex) ").replacing(" F", with: " \(Self.file.hex)")
        #expect(BackgroundDownload(text) == nil)
    }

    /// The tasks of a session, and what an update of `shop` that needs a file does with them.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let descriptions: [String?]
        var wanted: BackgroundDownload? = download()
        var waits = true
        var hasBegun = false
        let isUnderWay: Bool
        let cancelled: Set<Int>

        var testDescription: String { name }

        static let other = download("shop", Digest(of: Array("other".utf8)))

        static let all = [
            Row(name: "there is none", descriptions: [], isUnderWay: false, cancelled: []),
            Row(name: "it is there", descriptions: [download().description], isUnderWay: true, cancelled: []),
            Row(
                name: "it is there twice",
                descriptions: [download().description, download().description],
                isUnderWay: true,
                cancelled: [1]
            ),
            Row(
                name: "another file of the bundle is there",
                descriptions: [other.description, download().description],
                isUnderWay: true,
                cancelled: [0]
            ),
            Row(
                name: "the whole archive comes",
                descriptions: [other.description, download("shop", archive).description],
                isUnderWay: true,
                cancelled: [0]
            ),
            Row(
                name: "the file has another length",
                descriptions: [download(size: 43).description],
                isUnderWay: false,
                cancelled: [0]
            ),
            Row(
                name: "other bundles have theirs",
                descriptions: [download("docs").description, download("shop-2").description],
                isUnderWay: false,
                cancelled: []
            ),
            Row(
                name: "some can't be read",
                descriptions: [nil, "offline-bundles/2 shop", download().description],
                isUnderWay: true,
                cancelled: [0, 1]
            ),
            Row(
                name: "it hasn't begun, and a person waits",
                descriptions: [download().description],
                waits: false,
                isUnderWay: false,
                cancelled: [0]
            ),
            Row(
                name: "it has begun, and a person waits",
                descriptions: [download().description],
                waits: false,
                hasBegun: true,
                isUnderWay: true,
                cancelled: []
            ),
            Row(
                name: "nothing is needed",
                descriptions: [download().description, download("docs").description],
                wanted: nil,
                isUnderWay: false,
                cancelled: [0]
            ),
        ]
    }

    @Test("an update keeps the task of its file, and those of other bundles", arguments: Row.all)
    func selection(_ row: Row) {
        let transfers = row.descriptions.enumerated().map { identifier, description in
            BackgroundTransfer(identifier: identifier, description: description, hasBegun: row.hasBegun)
        }
        let selection = TransferSelection(of: row.wanted, for: "shop", waits: row.waits, among: transfers)
        #expect(selection.isUnderWay == row.isUnderWay)
        #expect(selection.cancelled == row.cancelled)
    }
}
