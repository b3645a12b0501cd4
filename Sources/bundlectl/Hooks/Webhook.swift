import BundleNetwork
import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Posts each event to a URL, as JSON.
///
/// What gets no response, or one that promises that another attempt may succeed, is posted again, so a receiver may get
/// an event twice: it knows it by its number.
struct Webhook: EventHook {
    /// How long an attempt may take.
    static let defaultTimeLimit: Duration = .seconds(10)
    /// The pauses between attempts; after the last attempt the event is lost. All attempts together take less than a command
    /// waits for at its end, see ``HookOptions/finalWait``.
    static let pauses: [Duration] = [.seconds(1), .seconds(5), .seconds(12)]
    /// The longest pause that a receiver can ask for: other events wait meanwhile.
    static let longestPause: Duration = .seconds(30)

    let url: URL
    let transport: any OriginTransport
    let clock: any Clock<Duration>
    var timeLimit = Self.defaultTimeLimit
    var now: @Sendable () -> Date = { Date() }

    var title: String { "--webhook" }

    func deliver(_ document: String) async throws {
        for pause in Self.pauses {
            let outcome = try await attempt(document)
            guard outcome.mayPass else { return }
            try await clock.sleep(for: max(pause, min(outcome.pause, Self.longestPause)))
        }
        guard let failure = try await attempt(document).failure else { return }
        throw BundleError(.networkUnavailable, "\(failure), after \(Self.pauses.count + 1) attempts")
    }

    /// How an attempt has ended.
    private struct Outcome {
        /// Nil for success.
        let failure: String?
        /// Whether another attempt may succeed.
        let mayPass: Bool
        /// The pause that the receiver asks for.
        var pause = Duration.zero
    }

    /// - Throws: `BundleError` when another attempt would fail too; `CancellationError`.
    private func attempt(_ document: String) async throws -> Outcome {
        let head: HTTPResponse
        do {
            head = try await limited { try await post(document) }
        } catch let error as BundleError {
            return Outcome(failure: error.message, mayPass: true)
        }
        let code = head.status.code
        switch code {
        case 200..<300: return Outcome(failure: nil, mayPass: false)
        case 408, 425, 429, 500...:
            let pause = RetryAfter(head, now: now()).map { Duration.seconds($0.seconds) } ?? .zero
            return Outcome(failure: "it responded with \(code)", mayPass: true, pause: pause)
        default: throw BundleError(.networkUnavailable, "it responded with \(code); check the URL")
        }
    }

    private func post(_ document: String) async throws -> HTTPResponse {
        let bytes = Array(document.utf8)
        var request = HTTPRequest(.post, url)
        request.headerFields[.userAgent] = ProductVersion.userAgent
        request.headerFields[.contentType] = "application/json"
        request.headerFields[.contentLength] = String(bytes.count)
        var call = OriginCall(request)
        call.content = BodyStream(bytes)
        // What it says doesn't matter; the connection ends with the body that isn't read.
        return try await transport.send(call).head
    }

    private func limited<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { [clock, timeLimit] group in
            group.addTask(operation: work)
            group.addTask {
                try await clock.sleep(for: timeLimit)
                throw BundleError(.networkUnavailable, "it didn't respond within \(timeLimit)")
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
