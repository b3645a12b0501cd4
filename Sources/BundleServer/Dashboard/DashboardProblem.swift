import BundleStore
import HTTPTypes

/// Why an action wasn't carried out, as the page gets it: a status, and JSON with a code, a message, and what to do next.
struct DashboardProblem: Encodable, Equatable {
    let code: String
    let message: String
    let advice: String?
    let status: HTTPResponse.Status

    private enum CodingKeys: CodingKey {
        case code, message, advice
    }

    /// - Parameter isKnown: Whether the store has the bundle, and the version if one was named.
    init(_ error: any Error, isKnown: Bool) {
        guard let error = error as? BundleError else {
            (code, message, advice, status) = ("internal", "\(error)", nil, .internalServerError)
            return
        }
        (code, message, advice) = (error.code.description, error.problem, error.remedy?.description)
        status =
            error.code == .invalidArgument && !isKnown ? .notFound : Self.statuses[error.code] ?? .internalServerError
    }

    private static let statuses: [BundleError.Code: HTTPResponse.Status] = [
        .invalidArgument: .badRequest, .versionConflict: .conflict, .originConflict: .conflict,
        .storeBusy: .serviceUnavailable, .storeUnavailable: .serviceUnavailable,
    ]
}
