import BundleStore
import Testing

@testable import bundlectl

struct ActivationSummaryTests {
    private static func summary(
        from: String?,
        to: String,
        isRollback: Bool = false,
        held: String? = nil
    ) throws -> ActivationSummary {
        ActivationSummary(
            BundleName("shop"),
            from: from.flatMap { BundleVersion($0) },
            to: try #require(BundleVersion(to)),
            isRollback: isRollback,
            held: held.flatMap { BundleVersion($0) }
        )
    }

    @Test("an activation says what it replaces")
    func activation() throws {
        #expect(try Self.summary(from: "1", to: "2").lines == ["shop@2 is active now, in place of 1"])
        #expect(try Self.summary(from: nil, to: "2").lines == ["shop@2 is active now"])
        #expect(try Self.summary(from: "2", to: "2").lines == ["shop@2 is active already"])
        let lower = "shop@1 is active now, in place of 2; updates take only what exceeds 2"
        #expect(try Self.summary(from: "2", to: "1", held: "2").lines == [lower])
    }

    @Test("a rollback says what later updates do")
    func rollback() throws {
        let lines = try Self.summary(from: "2", to: "1", isRollback: true, held: "3").lines
        #expect(lines == ["rolled shop back from 2 to 1; updates take only what exceeds 3"])
    }

    @Test("the document has the same keys for both")
    func document() throws {
        let text = try JSONDocument.text(of: Self.summary(from: "1", to: "2"))
        #expect(text == "{\n  \"from\" : \"1\",\n  \"name\" : \"shop\",\n  \"to\" : \"2\"\n}\n")
    }
}
