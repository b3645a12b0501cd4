import Testing

@testable import BundleStore

struct MachineFingerprintTests {
    @Test(
        "comes from a machine's number alone",
        arguments: [
            ("0123456789abcdef0123456789abcdef\n", true), ("0123456789abcdef0123456789abcdef", true),
            ("", false), ("uninitialized\n", false), ("0123456789abcdef0123456789abcde\n", false),
            ("0123456789ABCDEF0123456789ABCDEF\n", false), ("0123456789abcdef0123456789abcdef\n\n", false),
        ]
    )
    func number(_ file: String, _ isNumber: Bool) {
        let fingerprint = MachineFingerprint(machineIdentifier: file.utf8)
        #expect((fingerprint != nil) == isNumber)
        #expect(fingerprint?.string.contains("0123456789abcdef") != true)
    }
}
