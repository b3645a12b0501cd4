import ArgumentParser

extension ValidationError {
    /// The refusal of a value whose form is right, as the parser refuses one whose form is wrong.
    ///
    /// - Parameters:
    ///   - value: The value that was given.
    ///   - option: The option, with its hyphens.
    ///   - form: What is allowed.
    ///   - example: A value that is.
    init(_ value: some CustomStringConvertible, of option: String, mustBe form: String, suchAs example: String) {
        self.init("The value '\(value)' is invalid for '\(option)': it must be \(form), such as \(example)")
    }
}
