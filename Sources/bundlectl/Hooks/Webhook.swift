import BundleNetwork
import BundleServing
import BundleStore
import BundleUpdate
import Crypto
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
        let document = WebhookDocument(event: event, sender: sender)
        let message = Message(
            identifier: "\(sender.installation)-\(event.number)",
            content: Array((JSONDocument.line(of: document) + "\n").utf8)
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

/// An event as a webhook gets it: its keys are those of the event in `history`, with the installation that it comes from.
struct WebhookDocument: Encodable {
    let event: UpdateEvent
    let sender: WebhookSender

    private enum CodingKeys: CodingKey {
        case installation, labels
    }

    func encode(to encoder: any Encoder) throws {
        try event.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sender.installation, forKey: .installation)
        if !sender.labels.isEmpty { try container.encode(sender.labels, forKey: .labels) }
    }
}

/// The installation that tells of its events. A value type.
struct WebhookSender: Sendable {
    /// Tells it from others: 32 hexadecimal digits.
    let installation: String
    /// What its operator calls it.
    let labels: [String: String]

    /// The identifier by which releases are offered to a share of the installations stays in the store.
    ///
    /// A store that can't be written, and has none yet, gets another one each time.
    init(of store: BundleStore, labels: [WebhookLabel]) {
        let identifier = (try? store.installationIdentifier()) ?? .random()
        self.init(installation: identifier.pseudonym(for: "webhook"), labels: labels)
    }

    init(installation: String, labels: [WebhookLabel] = []) {
        self.installation = installation
        self.labels = Dictionary(labels.map { ($0.key, $0.value) }) { _, last in last }
    }
}

/// The key by which a webhook's receiver knows that an event is genuine, after the Standard Webhooks specification, “Signature
/// scheme”, symmetric. A value type.
struct WebhookKey: Sendable {
    static let prefix = "whsec_"
    /// How many bytes it may have.
    private static let byteCounts = 24...64

    private let key: SymmetricKey

    /// Reads a secret as the specification has it: `whsec_` and 24 to 64 bytes in Base64; the prefix may lack. Nil for another text.
    init?(_ secret: String) {
        let text = secret.hasPrefix(Self.prefix) ? String(secret.dropFirst(Self.prefix.count)) : secret
        guard let bytes = Data(base64Encoded: text), Self.byteCounts.contains(bytes.count) else {
            return nil
        }
        key = SymmetricKey(data: bytes)
    }

    /// Reads a file whose first line is a secret.
    ///
    /// - Throws: `BundleError` as ``SecretFile/line(of:)``, and with code `invalidArgument` when it isn't a secret.
    init(file: String) throws(BundleError) {
        guard let key = WebhookKey(try SecretFile.line(of: file)) else {
            throw BundleError(
                .invalidArgument,
                "the first line of \(Printable.line(file)) isn't a webhook's secret: it must be whsec_ and "
                    + "\(Self.byteCounts.lowerBound) to \(Self.byteCounts.upperBound) bytes in Base64, such as "
                    + "“echo whsec_$(openssl rand -base64 32)” prints"
            )
        }
        self = key
    }

    /// The value of `webhook-signature`: version 1 of the scheme.
    ///
    /// - Parameters:
    ///   - identifier: The value of `webhook-id`.
    ///   - timestamp: The value of `webhook-timestamp`.
    func signature(of document: [UInt8], identifier: String, timestamp: String) -> String {
        let signed = Array("\(identifier).\(timestamp).".utf8) + document
        return "v1,"
            + Data(HMAC<SHA256>.authenticationCode(for: signed, using: key)).base64EncodedString()
    }
}

/// The fields that an operator adds to a webhook's requests, such as `Authorization`.
enum WebhookFields {
    /// Reads a file with a field on each line. What is wrong with one is said without its value, which may be secret.
    ///
    /// - Throws: `BundleError` as ``SecretFile/lines(of:)``, and with code `invalidArgument` for a line that is no field, or one
    ///   that the webhook sets itself.
    static func read(_ path: String) throws(BundleError) -> HTTPFields {
        var fields = HTTPFields()
        for (index, line) in try SecretFile.lines(of: path).enumerated() {
            guard let field = field(line) else {
                throw BundleError(
                    .invalidArgument,
                    "line \(index + 1) of \(Printable.line(path)) isn't a field that can be added: a name, a colon and a value in "
                        + "printable ASCII, such as “Authorization: Bearer …”; the webhook sets those of the content, of the "
                        + "connection, Host, User-Agent and webhook-… itself"
                )
            }
            fields.append(field)
        }
        return fields
    }

    /// Nil when it isn't one, or is set by the webhook itself.
    private static func field(_ line: String) -> HTTPField? {
        guard let field = try? ResponseFieldOptions.field(line), let name = HTTPField.Name(field.name),
            !["expect", "host", "user-agent"].contains(name.canonicalName), !name.canonicalName.hasPrefix("webhook-")
        else { return nil }
        return HTTPField(name: name, value: field.value)
    }
}
