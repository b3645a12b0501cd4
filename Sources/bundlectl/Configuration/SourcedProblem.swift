import ArgumentParser

/// What the parser refuses of a command line, together with where the options come from that it names.
struct SourcedProblem: Error {
    /// What the parser threw.
    let error: any Error
    /// Where the options are set that the message names; nil when the command line sets them.
    let origins: String?

    init(_ error: any Error, _ settings: [Setting]) {
        self.error = error
        let message = BundleCtl.message(for: error)
        let named = Set(message.matches(of: /--([a-z][a-z-]*)/).map { String($0.1) })
        let origins = settings.filter { named.contains($0.option.name) }.compactMap(\.origin)
        self.origins = origins.isEmpty ? nil : origins.joined(separator: ", ")
    }
}
