/// One step of the table. A value type.
struct ConformanceRow: Sendable {
    /// What happens in the step.
    enum Step: Sendable {
        case request(SurfaceRequest, Expectation)
        /// The origin doesn't respond from now on, or does again.
        case origin(isUp: Bool)
        /// The app's code sets network rules.
        case rules(String)
        /// A higher version is published, and the surface takes it.
        case update
        /// The version before becomes active again.
        case rollBack
    }

    /// What a platform forces to be different.
    struct Difference: Sendable {
        /// Why.
        let reason: String
        /// What the response is; nil when there is none, or the step can't be made.
        let expectation: Expectation?
    }

    let name: String
    let step: Step
    private(set) var differences: [SurfaceKind: Difference] = [:]

    init(_ name: String, _ step: Step) {
        (self.name, self.step) = (name, step)
    }

    init(_ name: String, _ request: SurfaceRequest, _ expectation: Expectation) {
        self.init(name, .request(request, expectation))
    }

    /// The same row, with what is different on a surface.
    func differing(on surface: SurfaceKind, because reason: String, _ expectation: Expectation? = nil) -> Self {
        var row = self
        row.differences[surface] = Difference(reason: reason, expectation: expectation)
        return row
    }
}
