import BundleStore

/// What an event stream tells: a state as one line of JSON. A value type.
struct StreamEvent: Equatable, Sendable {
    /// Without line breaks, as ``/BundleModel/JSONWriter`` and Foundation write JSON that isn't indented.
    let document: String
    /// Tells states from each other.
    let identifier: String

    init(_ document: String) {
        self.document = document
        identifier = String(Digest(of: Array(document.utf8)).hex.prefix(16))
    }

    /// As it is sent (WHATWG HTML, “Interpreting an event stream”).
    var bytes: [UInt8] { Array("id: \(identifier)\ndata: \(document)\n\n".utf8) }
}
