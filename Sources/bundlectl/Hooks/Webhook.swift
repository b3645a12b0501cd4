import BundleNetwork
import BundleServing
import BundleStore
import BundleUpdate
import Foundation
import HTTPTypes

/// Posts each event to a URL, as JSON, with the fields of the Standard Webhooks specification.
///
/// What gets no response, or one that promises that another attempt may succeed, is posted again, so a receiver may get
/// an event twice: it knows it by its `webhook-id`.
struct Webhook: EventHook {
    /// How long an attempt may take.
    static let defaultTimeLimit: Duration = .seconds(10)
    /// The pauses between attempts; after the last attempt the event is lost. All attempts together take less than a command
    /// waits for at its end, see ``HookOptions/finalWait``.
    static let pauses: [Duration] = [.seconds(1), .seconds(5), .seconds(12)]
    /// The longest pause that a receiver can ask for: other events wait meanwhile.
    static let longestPause: Duration = .seconds(30)

    let url: URL
    let sender: WebhookSender
    let transport: any OriginTransport
    let clock: any Clock<Duration>
    /// Fields that the operator adds.
    var fields = HTTPFields()
    /// Signs the events; nil to send them without a signature.
    var key: WebhookKey?
    var timeLimit = Self.defaultTimeLimit
    var now: @Sendable () -> Date = { Date() }

    var title: String { "--webhook" }

    func deliver(_ event: UpdateEvent) async throws {
        let document = WebhookDocument(event: EventSummary(event), sender: sender)
        let message = Message(
            identifier: "\(sender.installation)-\(event.number)",
            content: Array(try JSONDocument.line(of: document).utf8)
        )
        for pause in Self.pauses {
            let outcome = try await attempt(message)
            guard outcome.mayPass else { return }
            try await clock.sleep(for: max(pause, min(outcome.pause, Self.longestPause)))
        }
        guard let failure = try await attempt(message).failure else { return }
        throw BundleError(.networkUnavailable, "\(failure), after \(Self.pauses.count + 1) attempts")
    }

    /// An event, in all attempts.
    private struct Message {
        /// Tells it from all others, also those of other installations.
        let identifier: String
        let content: [UInt8]
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
    private func attempt(_ message: Message) async throws -> Outcome {
        let head: HTTPResponse
        do {
            head = try await limited { try await post(message) }
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

    private func post(_ message: Message) async throws -> HTTPResponse {
        var request = HTTPRequest(.post, url)
        request.headerFields = fields
        request.headerFields[.userAgent] = ProductVersion.userAgent
        request.headerFields[.contentType] = "application/json"
        request.headerFields[.contentLength] = String(message.content.count)
        for (name, value) in authentication(of: message) {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        }
        var call = OriginCall(request)
        call.content = BodyStream(message.content)
        // What it says doesn't matter; the connection ends with the body that isn't read.
        return try await transport.send(call).head
    }

    /// The fields of the Standard Webhooks specification. The time is that of the attempt.
    private func authentication(of message: Message) -> [(name: String, value: String?)] {
        let timestamp = String(Int64(now().timeIntervalSince1970))
        let signature = key?.signature(
            of: message.content,
            identifier: message.identifier,
            timestamp: timestamp
        )
        return [
            ("webhook-id", message.identifier), ("webhook-timestamp", timestamp),
            ("webhook-signature", signature),
        ]
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
