/// How far a task is, and so which call it may get next. Pure.
package struct SchemeTaskState: Equatable, Sendable {
    package enum Phase: Equatable, Sendable { case waiting, responded, ended }

    /// What is about to be told, or has happened.
    package enum Event: CaseIterable, Sendable { case head, data, finish, fail, stop }

    package private(set) var phase = Phase.waiting

    package init() {}

    /// Whether the task may be told this now; it counts as told then. A stopped task is never told anything.
    package mutating func take(_ event: Event) -> Bool {
        switch (phase, event) {
        case (.waiting, .head): phase = .responded
        case (.responded, .data): break
        case (.responded, .finish), (.waiting, .fail), (.responded, .fail): phase = .ended
        case (_, .stop):
            phase = .ended
            return false
        default: return false
        }
        return true
    }
}
