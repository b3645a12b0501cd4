import BundleArchive
import BundleInstall
import BundleStore
import BundleTesting
import Testing

@Suite("An odd archive")
struct OddArchiveTests {
    @Test("is installed or refused as the document says, and a refusal changes nothing", arguments: OddArchive.all)
    func outcome(_ odd: OddArchive) async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(InstallFixture.files())
            switch odd.outcome {
            case .takenIn(let files): try expectFiles(files, of: odd, fixture)
            case .refused(let words, let code): try expectRefusals(words, code, of: odd, fixture)
            }
            #expect(try fixture.release().texts == InstallFixture.files().mapValues { $0 })
        }
    }

    @Test("has a row in the document, with the same words, and every row is tested")
    func document() throws {
        let (rows, cases) = (try OddArchiveRow.document(), OddArchive.all.map(\.row))
        #expect(Set(rows).subtracting(cases) == [], "only in the document")
        #expect(Set(cases).subtracting(rows) == [], "only in the tests")
        #expect(Set(rows.map(\.name)).count == rows.count)
        #expect(rows.count == cases.count)
    }

    private func expectFiles(_ files: [String: String], of odd: OddArchive, _ fixture: InstallFixture) throws {
        let sound = ["bundle.json": OddArchiveVariant.manifest, "index.html": OddArchiveVariant.page]
        for (number, variant) in odd.variants.enumerated() {
            var options = variant.options
            options.replaces = true
            let report = try fixture.install(variant.bytes(fixture), options: options)
            #expect(report.outcome == .installed, "archive \(number)")
            let warning = odd.warning.map { "\(fixture.directory.path(of: "archive")): \($0)" }
            #expect(report.warnings == [warning].compactMap(\.self), "archive \(number)")
            let texts = try fixture.release("2.0.0").texts
            #expect(texts == files.merging(sound) { $1 }.mapValues { $0 }, "archive \(number)")
        }
        #expect(try fixture.store.verify().isEmpty)
    }

    private func expectRefusals(
        _ words: [String],
        _ code: BundleError.Code,
        of odd: OddArchive,
        _ fixture: InstallFixture
    ) throws {
        let messages = try odd.variants.map { variant in
            try fixture.expectRefusal(variant.bytes(fixture), "", code: code, options: variant.options)
        }
        for message in messages { #expect(words.contains(where: message.contains), "\(message)") }
        for words in words { #expect(messages.contains { $0.contains(words) }, "“\(words)” in \(messages)") }
    }
}
