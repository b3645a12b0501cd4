import Foundation

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

/// Tells this machine from those that started with a copy of its disk. A value type; safe to share between threads.
package struct MachineFingerprint: Equatable, Sendable {
    /// 64 hexadecimal digits, from which nobody can find the machine's number: machine-id(5) wants that to be kept from others.
    package let string: String

    /// - Parameter file: What `/etc/machine-id` has.
    /// - Returns: Nil for anything but 32 hexadecimal digits: an image that was made to be copied has none, nor has a container's.
    package init?(machineIdentifier file: some BidirectionalCollection<UInt8>) {
        let digits = file.last == 0x0A ? Array(file.dropLast()) : Array(file)
        let isHexadecimal = digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard digits.count == 32, isHexadecimal else { return nil }
        string = Digest(of: Array("offline bundles\0".utf8) + digits).hex
    }

    /// The present machine's; nil when it has none.
    package static var current: MachineFingerprint? {
        #if os(Linux)
            (try? Data(contentsOf: URL(fileURLWithPath: "/etc/machine-id"))).flatMap(MachineFingerprint.init)
        #else
            nil
        #endif
    }
}
