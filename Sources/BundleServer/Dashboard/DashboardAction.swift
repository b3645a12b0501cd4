/// What an operator can do to a bundle on the dashboard; each as the verb of the same name.
enum DashboardAction: String, CaseIterable, Sendable {
    case activate, rollback, pin, unpin, hold, unhold, check, update
    case markGood = "mark-good"
    case markBad = "mark-bad"

    /// Whether it is about one version.
    var needsVersion: Bool { [.activate, .pin, .unpin, .markGood, .markBad].contains(self) }
}
