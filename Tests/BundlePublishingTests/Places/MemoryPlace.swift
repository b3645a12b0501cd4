import BundleStore
import Foundation
import Synchronization

@testable import BundlePublishing

/// A place in memory, which keeps its conditions. It can end a publication at any step.
final class MemoryPlace: PublishingPlace {
    /// The process has ended.
    struct Killed: Error {}

    private struct State {
        var files: [String: (bytes: [UInt8], revision: Int)] = [:]
        var revision = 0
        /// How many steps are made until the process ends; nil for all.
        var remainingSteps: Int?
        /// How many steps of each publication the place takes; nil for all.
        var acceptedSteps: Int?
        var downloaded: [String] = []
        var onContents: (@Sendable () async -> Void)?
    }

    let name = "s3://bucket/shop"
    private let state = Mutex(State())
    var files: [String: [UInt8]] { state.withLock { $0.files.mapValues(\.bytes) } }
    var downloaded: [String] { state.withLock { $0.downloaded } }

    /// Ends the next publication after so many steps; nil for none.
    func kill(after steps: Int?) { state.withLock { $0.remainingSteps = steps } }

    /// Refuses all steps of each publication after so many.
    func refuse(after steps: Int) { state.withLock { $0.acceptedSteps = steps } }

    /// Calls `body` when the next publication has read what is there.
    func onNextContents(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.onContents = body } }

    func contents() async throws -> PlaceContents {
        let contents = state.withLock { state in
            PlaceContents(
                files: state.files.mapValues {
                    PlaceContents.File(size: Int64($0.bytes.count), digest: nil, revision: String($0.revision))
                }
            )
        }
        let action = state.withLock { state in
            defer { state.onContents = nil }
            return state.onContents
        }
        await action?()
        return contents
    }

    func download(
        _ name: String,
        of contents: PlaceContents,
        to path: String,
        atMost maximumByteCount: Int64
    ) async throws {
        let bytes = state.withLock { state in
            state.downloaded.append(name)
            return state.files[name]?.bytes
        }
        guard let bytes, Int64(bytes.count) <= maximumByteCount else {
            throw BundleError(.networkUnavailable, "\(name) isn't there")
        }
        try Data(bytes).write(to: URL(filePath: path))
    }

    func digest(of name: String, in contents: PlaceContents) -> Digest? { files[name].map { Digest(of: $0) } }

    func apply(
        _ change: PlaceChange,
        to contents: PlaceContents,
        progress: @escaping @Sendable (ByteProgress) -> Void
    ) async throws {
        state.withLock { $0.remainingSteps = $0.acceptedSteps ?? $0.remainingSteps }
        for file in change.added { try put(file, ifRevision: nil) }
        for file in change.replaced { try put(file, ifRevision: contents.files[file.name]?.revision) }
        for name in change.removed {
            try state.withLock { state in
                try Self.step(&state)
                state.files[name] = nil
            }
        }
    }

    private func put(_ file: PlaceChange.File, ifRevision revision: String?) throws {
        let bytes = try Array(Data(contentsOf: URL(filePath: file.path)))
        try state.withLock { state in
            try Self.step(&state)
            let present = state.files[file.name]
            guard present.map({ String($0.revision) }) == revision || present?.bytes == bytes else {
                throw PlaceConflict()
            }
            Self.put(bytes, file.name, &state)
        }
    }

    private static func put(_ bytes: [UInt8], _ name: String, _ state: inout State) {
        state.revision += 1
        state.files[name] = (bytes, state.revision)
    }

    private static func step(_ state: inout State) throws {
        guard let remaining = state.remainingSteps else { return }
        guard remaining > 0 else {
            guard state.acceptedSteps == nil else { throw BundleError(.outputUnavailable, "there is no room") }
            throw Killed()
        }
        state.remainingSteps = remaining - 1
    }
}
