import BundleStore
import HTTPTypes
import Logging

/// Carries out what operators do on the dashboard, as the verbs of the command line do. Thread-safe; waits for the disk.
struct DashboardActions: Sendable {
    let store: BundleStore
    let jobs: DashboardJobs
    let logger: Logger
    /// What the history says of a release that is marked bad.
    private static let badReason = "marked bad on the dashboard"

    /// What was done, in a sentence for a person.
    ///
    /// - Throws: ``/BundleModel/BundleError`` as the calls of ``/BundleStore/BundleStore`` do, and with code `storeBusy` when a
    ///   check or an update of the bundle is under way here.
    func perform(_ action: DashboardAction, _ name: BundleName, _ version: BundleVersion?) throws -> String {
        let text = try carryOut(action, name, version)
        logger.notice("by the dashboard: \(text)")
        return text
    }

    private func carryOut(_ action: DashboardAction, _ name: BundleName, _ version: BundleVersion?) throws -> String {
        switch (action, version) {
        case (.activate, let version?): return try activate(name, version)
        case (.rollback, _):
            let (left, current) = try store.rollBack(name, to: version)
            return "rolled \(name) back from \(left?.string ?? "none") to \(current)" + (try remark(on: name))
        case (.markGood, let version?):
            let wasOnProbation = try store.confirm(name, version).wasOnProbation
            return wasOnProbation ? "\(name) \(version) is confirmed" : "\(name) \(version) needs no confirmation"
        case (.markBad, let version?): return try markBad(name, version)
        case (.pin, let version?):
            try store.setPinned(true, name, version)
            return "\(name) \(version) is pinned: it stays until it is unpinned"
        case (.unpin, let version?):
            try store.setPinned(false, name, version)
            return "\(name) \(version) is not pinned"
        case (.hold, _):
            try store.setHold(true, name)
            return "\(name) is on hold: updates leave it as it is"
        case (.unhold, _):
            try store.setHold(false, name)
            return "\(name) is not on hold: updates install what exceeds it"
        case (.check, _):
            try jobs.begin(.check, of: name)
            return "a check of \(name) has begun"
        case (.update, _):
            try jobs.begin(.update, of: name)
            return "an update of \(name) has begun"
        case (.activate, nil), (.pin, nil), (.unpin, nil), (.markGood, nil), (.markBad, nil):
            throw BundleError(.invalidArgument, "no version is named")
        }
    }

    private func activate(_ name: BundleName, _ version: BundleVersion) throws -> String {
        let previous = store.snapshot.bundles[name]?.activeVersion
        try store.activate(name, version)
        let place = previous.flatMap { $0.string == version.string ? nil : ", in place of \($0)" } ?? ""
        return "\(name) \(version) is active now\(place)" + (try remark(on: name))
    }

    private func markBad(_ name: BundleName, _ version: BundleVersion) throws -> String {
        let release = try store.markBad(name, version, reason: Self.badReason)
        let marked = "\(name) \(version) is marked bad"
        if release.stays { return "\(marked), and stays active: there is no earlier version" }
        return "\(marked); \(release.active.map { "\($0) is active" } ?? "no version is active")"
            + (try remark(on: name))
    }

    private func remark(on name: BundleName) throws -> String {
        try store.updateState(of: name)?.heldVersion.map { "; updates take only what exceeds \($0)" } ?? ""
    }
}

/// What an operator can do to a bundle on the dashboard; each as the verb of the same name.
enum DashboardAction: String, CaseIterable, Sendable {
    case activate, rollback, pin, unpin, hold, unhold, check, update
    case markGood = "mark-good"
    case markBad = "mark-bad"

    /// Whether it is about one version.
    var needsVersion: Bool { [.activate, .pin, .unpin, .markGood, .markBad].contains(self) }
}

/// The content of a request for an action: `{"version": "1.0.0"}`, or `{}`. A value type.
struct DashboardTerms: Equatable {
    /// The longest content in bytes.
    static let maximumByteCount = 1 << 10

    let version: BundleVersion?

    /// - Throws: `BundleError` with code `invalidArgument` for anything but an object, for a version that is none, and
    ///   without a version for an action that needs one.
    init(_ content: [UInt8], for action: DashboardAction) throws(BundleError) {
        let root = try JSONElement(
            parsing: content,
            named: "the content",
            maximumByteCount: Self.maximumByteCount,
            refusedAs: .invalidArgument
        )
        guard let element = try root.member("version") else {
            if action.needsVersion { throw root.refused("names no version; send {\"version\": \"1.0.0\"}") }
            version = nil
            return
        }
        guard let version = BundleVersion(try element.string()) else { throw element.refused("isn't a version") }
        self.version = version
    }
}

/// Why an action wasn't carried out, as the page gets it: a status, and JSON with a code, a message, and what to do next.
struct DashboardProblem: Encodable, Equatable {
    let code: String
    let message: String
    let advice: String?
    let status: HTTPResponse.Status

    private enum CodingKeys: CodingKey {
        case code, message, advice
    }

    init(_ error: any Error) {
        guard let error = error as? BundleError else {
            (code, message, advice, status) = ("internal", "\(error)", nil, .internalServerError)
            return
        }
        (code, message, advice) = (error.code.description, error.problem, error.remedy?.description)
        status = Self.statuses[error.code] ?? .internalServerError
    }

    private static let statuses: [BundleError.Code: HTTPResponse.Status] = [
        .invalidArgument: .badRequest, .tooLarge: .badRequest, .notFound: .notFound, .versionConflict: .conflict,
        .originConflict: .conflict,
        .storeBusy: .serviceUnavailable, .storeUnavailable: .serviceUnavailable,
    ]
}
