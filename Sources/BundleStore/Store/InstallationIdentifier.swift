/// What tells a store from all others: 128 random bits. It is sent to nobody. A value type; safe to share between
/// threads.
package struct InstallationIdentifier: Equatable, Sendable {
    /// 32 hexadecimal digits in lower case.
    package let string: String

    /// Returns nil for anything but 32 hexadecimal digits in lower case.
    package init?(_ string: String) {
        guard let identifier = FileIdentifier(name: string) else { return nil }
        self.string = identifier.name
    }

    /// What others may know the store by. It tells stores from each other, those of different purposes can't be matched, and the
    /// identifier doesn't follow from it.
    ///
    /// - Parameter purpose: What for, in lower-case letters.
    /// - Returns: 32 hexadecimal digits in lower case.
    package func pseudonym(for purpose: String) -> String {
        // No bundle has a name with this character: places among installations follow from other texts.
        String(Digest(of: Array("\(string)\0/\(purpose)".utf8)).hex.prefix(32))
    }

    /// A new one.
    package static func random() -> InstallationIdentifier { InstallationIdentifier(FileIdentifier.random()) }

    private init(_ identifier: FileIdentifier) { string = identifier.name }
}
