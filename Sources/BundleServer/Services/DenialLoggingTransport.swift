import BundleNetwork
import BundleStore
import HTTPCore
import HTTPTypes
import Logging
import Synchronization

/// Logs denied origins, each once: clients don't get the reason, and may repeat their requests at will.
final class DenialLoggingTransport: OriginTransport {
    /// Any further ones are neither recorded nor logged.
    private static let maximumCount = 100

    private let transport: any OriginTransport
    private let logger: Logger
    private let reported = Mutex<Set<String>>([])

    init(_ transport: any OriginTransport, logger: Logger) {
        self.transport = transport
        self.logger = logger
    }

    func send(_ call: OriginCall) async throws -> OriginResponse {
        do {
            return try await transport.send(call)
        } catch let error as BundleError where error.cause is OriginDenial {
            let isNew = reported.withLock {
                $0.count < Self.maximumCount && $0.insert(call.request.authority ?? "").inserted
            }
            if isNew { logger.warning("\(error)") }
            throw error
        }
    }
}
