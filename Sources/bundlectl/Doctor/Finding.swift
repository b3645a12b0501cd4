import BundleStore

/// What `doctor` says of one thing that it has looked at.
struct Finding: Encodable, Equatable {
    /// How bad it is.
    enum State: String, Encodable, CaseIterable {
        case ok, warning, error
    }

    /// What was looked at.
    enum Subject: String, Encodable, CaseIterable {
        case store, permissions, disk, catalog, bundles, network, clock, certificates, socket, leftovers
    }

    let state: State
    let subject: Subject
    /// What it is, and where.
    let message: String
    /// What to do, a command where there is one; nil when there is nothing to do, or the message says it.
    let remedy: String?

    init(_ state: State, _ subject: Subject, _ message: String, remedy: String? = nil) {
        (self.state, self.subject, self.message, self.remedy) = (state, subject, message, remedy)
    }

    /// What an error says that came in the way.
    init(_ subject: Subject, _ error: any Error, _ state: State = .error) {
        let known = error as? BundleError
        self.init(state, subject, known?.problem ?? "\(error)", remedy: known?.remedy.map(Advice.text))
    }
}
