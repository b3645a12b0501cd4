import ArgumentParser
import HTTPTypes

/// The name of a response field that has cache directives of its own.
struct FieldName: ExpressibleByArgument {
    let name: HTTPField.Name

    /// Nil for what is no name, and for Cache-Control, whose syntax is another one.
    init?(argument: String) {
        guard let name = HTTPField.Name(argument), name != .cacheControl else { return nil }
        self.name = name
    }
}
