/// Something that a person should know although nothing has failed. A value type; safe to share between threads.
public struct Notice: Hashable, Sendable, CustomStringConvertible {
    /// What it is, and where.
    public let problem: String
    /// What to do about it; nil when ``problem`` says that, or there is nothing to do.
    public let remedy: Remedy?

    /// Makes one.
    public init(_ problem: String, _ remedy: Remedy? = nil) {
        self.problem = problem
        self.remedy = remedy
    }

    /// One line: what it is, where, and what to do.
    public var description: String { remedy.map { "\(problem); \($0)" } ?? problem }
}
