import BundleTesting

/// One step of the table.
typealias SurfaceRow = ConformanceRow<SurfaceKind, SurfaceStep>

/// What happens in a step.
enum SurfaceStep: Sendable {
    /// A request for a target below the bundle's origin.
    case request(ConformanceRequest, ConformanceExpectation)
    /// The origin doesn't respond from now on, or does again.
    case origin(isUp: Bool)
    /// The app's code sets network rules.
    case rules(String)
    /// A higher version is published, and the surface takes it.
    case update
    /// The version before becomes active again.
    case rollBack
}

extension SurfaceRow {
    init(
        _ name: String,
        _ request: ConformanceRequest,
        _ status: Int,
        _ fields: [String: ConformanceExpectation.Field] = [:],
        content: ConformanceExpectation.Content? = nil
    ) {
        self.init(name, .request(request, ConformanceExpectation(status, fields, content: content)))
    }
}
