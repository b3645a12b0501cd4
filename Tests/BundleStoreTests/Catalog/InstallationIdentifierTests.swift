import Testing

@testable import BundleStore

@Suite("The identifier of an installation")
struct InstallationIdentifierTests {
    @Test("a machine is known by a digest of its number, and one without a number by none")
    func machines() throws {
        let digits = String(repeating: "0123456789abcdef", count: 2)
        let machine = try #require(MachineFingerprint(machineIdentifier: digits.utf8))
        #expect(MachineFingerprint(machineIdentifier: (digits + "\n").utf8) == machine)
        #expect(Digest(hex: machine.string) != nil && !machine.string.contains(digits))
        for text in [
            "", "\n", "uninitialized\n", String(digits.dropLast()), digits + "0", digits.uppercased(), digits + "\n\n",
        ] {
            #expect(MachineFingerprint(machineIdentifier: text.utf8) == nil, "\(text)")
        }
    }

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
