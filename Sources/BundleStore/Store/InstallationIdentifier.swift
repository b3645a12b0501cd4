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

    /// A new one.
    package static func random() -> InstallationIdentifier { InstallationIdentifier(FileIdentifier.random()) }

    private init(_ identifier: FileIdentifier) { string = identifier.name }
}
