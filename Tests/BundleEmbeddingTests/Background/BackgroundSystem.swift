import BundleEmbedding
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization

/// The system's part of background sessions, by the rules that Apple documents: a task outlives the process that has started it, its end
/// is told once a process has made the session again, its file is gone when that has been told, and there are no tasks with completion
/// handlers. Thread-safe.
final class BackgroundSystem: Sendable {
    static let identifier = "com.example.shop.downloads"

    struct Transfer: Sendable {
        let identifier: Int
        let description: String?
        let request: HTTPRequest
        let permitsMetered: Bool
        var hasBegun = false
        var end: Result<(head: HTTPResponse, content: [UInt8]), BundleError>?
    }

    private struct State {
        var transfers: [Transfer] = []
        var lastIdentifier = 0
        /// Those of the process that runs.
        var events: BackgroundEvents?
    }

    private let folder: TemporaryDirectory
    private let state = Mutex(State())

    init(in folder: TemporaryDirectory) {
        self.folder = folder
    }

    var transfers: [Transfer] { state.withLock(\.transfers) }

    /// Makes the session of a process. There is one process at a time.
    func session(_ events: BackgroundEvents, leastByteCount: Int64) -> BackgroundDownloads {
        state.withLock { $0.events = events }
        return BackgroundDownloads(Session(system: self), events, leastByteCount: leastByteCount)
    }

    func endProcess() {
        state.withLock { $0.events = nil }
    }

    /// Adds a task.
    func add(_ request: HTTPRequest, _ description: String?, permitsMetered: Bool = true) {
        state.withLock { state in
            state.lastIdentifier += 1
            let identifier = state.lastIdentifier
            let transfer = Transfer(
                identifier: identifier,
                description: description,
                request: request,
                permitsMetered: permitsMetered
            )
            state.transfers.append(transfer)
        }
    }

    /// Receives the first bytes for each task.
    func begin() {
        state.withLock { state in
            for index in state.transfers.indices { state.transfers[index].hasBegun = true }
        }
    }

    func cancel(_ identifiers: Set<Int>) {
        let (events, cancelled) = state.withLock { state in
            defer { state.transfers.removeAll { identifiers.contains($0.identifier) } }
            return (state.events, state.transfers.filter { identifiers.contains($0.identifier) })
        }
        for transfer in cancelled { events?.ended(transfer.description, nil) }
    }

    /// Downloads what the tasks ask for, in a process of its own.
    func download(from network: ScriptedTransport) async {
        begin()
        for transfer in transfers where transfer.end == nil {
            let end: Result<(head: HTTPResponse, content: [UInt8]), BundleError>
            do {
                let response = try await network.send(transfer.request)
                var content: [UInt8] = []
                for try await chunk in response.body { content += chunk }
                end = .success((response.head, content))
            } catch {
                end = .failure(error as? BundleError ?? OriginResponse.connectionLost)
            }
            state.withLock { state in
                guard let index = state.transfers.firstIndex(where: { $0.identifier == transfer.identifier }) else {
                    return
                }
                state.transfers[index].end = end
            }
        }
    }

    /// Tells the process that runs what has ended, and then that this was all.
    ///
    /// - Throws: Foundation's error when a file can't be written.
    func deliver() throws {
        let (events, ended) = state.withLock { state in
            guard state.events != nil else { return (nil as BackgroundEvents?, [Transfer]()) }
            defer { state.transfers.removeAll { $0.end != nil } }
            return (state.events, state.transfers.filter { $0.end != nil })
        }
        guard let events else { return }
        for transfer in ended { try tell(events, transfer) }
        events.deliveredAll()
    }

    private func tell(_ events: BackgroundEvents, _ transfer: Transfer) throws {
        switch transfer.end {
        case nil: break
        case .failure(let error): events.ended(transfer.description, error)
        case .success(let response):
            guard events.permits(Int64(response.content.count), of: transfer.description) else {
                return events.ended(transfer.description, nil)
            }
            let path = try folder.write(response.content, to: "system/\(transfer.identifier).tmp")
            defer { try? FileManager.default.removeItem(atPath: path) }
            let url = "https://\(transfer.request.authority ?? "")\(transfer.request.path ?? "")"
            guard let url = URL(string: url) else { throw URLError(.badURL) }
            events.received(transfer.description, response.head, from: url, in: URL(fileURLWithPath: path))
        }
    }

    private struct Session: BackgroundSession {
        let system: BackgroundSystem

        var identifier: String { BackgroundSystem.identifier }

        func transfers() async -> [BackgroundTransfer] {
            system.transfers.map { transfer in
                BackgroundTransfer(
                    identifier: transfer.identifier,
                    description: transfer.description,
                    hasBegun: transfer.hasBegun
                )
            }
        }

        func start(_ transfer: TransferRequest) throws {
            system.add(transfer.request, transfer.download.description, permitsMetered: transfer.permitsMetered)
        }

        func cancel(_ identifiers: Set<Int>) async { system.cancel(identifiers) }
    }
}
