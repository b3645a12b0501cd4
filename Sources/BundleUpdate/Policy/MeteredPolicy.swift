/// What updates fetch on a metered link. Feeds are asked in any case: they are small. A value type; safe to share between
/// threads.
public enum MeteredPolicy: String, CaseIterable, Sendable {
    /// Nothing.
    case never
    /// What makes a release out of what is installed, which is usually a small part of it.
    case patches
    /// Everything.
    case always

    /// Whether a release may be fetched.
    ///
    /// - Parameters:
    ///   - isPatch: Whether what is fetched is a patch to what is installed.
    ///   - isMetered: Whether the link is metered.
    func permitsFetching(isPatch: Bool, isMetered: Bool) -> Bool {
        switch self {
        case .never: !isMetered
        case .patches: !isMetered || isPatch
        case .always: true
        }
    }
}
