/// When a release that an update has installed becomes active. A value type; safe to share between threads.
public enum ActivationMode: String, Sendable, Hashable, CaseIterable {
    /// At once, as the end of the update.
    case now
    /// When a server or an app starts with the store next.
    case nextStart = "next-start"
    /// When nobody has asked for anything of the bundle for a while, or at the next start, whichever is first.
    case whenIdle = "when-idle"
}
