/// A part of a script, as far as references need it. A value type.
enum ScriptToken: Equatable {
    /// A name or a keyword.
    case name(String)
    /// A string, or a template without substitutions.
    case string(String)
    /// Any other byte of the grammar.
    case mark(UInt8)
    /// A number, a regular expression, the end of a template with substitutions, `++` or `--`: after each a slash divides.
    case value
    /// A part of a template that a substitution follows.
    case templatePart
    /// The source map that a comment names.
    case sourceMap(String)
}
