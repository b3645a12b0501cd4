/// The fault at one step of a program; see Sources/FaultInjection/include/FaultInjection.h.
enum FaultAction: String, CaseIterable, Sendable {
    case kill, torn, powercut, dataloss, ENOSPC, EIO, EDQUOT

    /// Whether it ends the program; otherwise the step fails with an error.
    var kills: Bool {
        switch self {
        case .kill, .torn, .powercut, .dataloss: true
        case .ENOSPC, .EIO, .EDQUOT: false
        }
    }
}
