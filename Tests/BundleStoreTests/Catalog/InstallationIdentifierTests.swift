import Testing

@testable import BundleStore

@Suite("The identifier of an installation")
struct InstallationIdentifierTests {
    @Test("others know it by a name for each purpose, which is the same each time")
    func pseudonyms() throws {
        let (one, other) = (InstallationIdentifier.random(), InstallationIdentifier.random())
        let names = [one, other].flatMap {
            [$0.pseudonym(for: "webhook"), $0.pseudonym(for: "report")]
        }
        #expect(Set(names + [one.string, other.string]).count == 6)
        #expect(names.allSatisfy { InstallationIdentifier($0) != nil })
        let same = try #require(InstallationIdentifier(one.string))
        #expect(same.pseudonym(for: "webhook") == names[0])
    }
}
