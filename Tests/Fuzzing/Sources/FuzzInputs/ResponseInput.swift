import BundleServing
import BundleStore
import BundleTransport
import Dispatch
import HTTPTypes
import Synchronization

@testable import HTTPCore

private let origin = LoopbackOrigin()
private let transport = NIOTransport(
    connectTimeout: .seconds(5),
    firstByteTimeout: .seconds(5),
    silenceTimeout: .seconds(5)
)

/// The bytes of an origin are a response, with a final status and no more content than was sent, or the request fails.
///
/// The first byte of an input is the request: `G` for GET and `H` for HEAD, in lower case when the connection stays
/// open for another one. The second is the number of bytes that are sent at once, `0` for all. The rest is sent.
enum ResponseInput {
    static func isTaken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 2, let origin else { return false }
        let sent = Array(bytes.dropFirst(2))
        let staysOpen = bytes[0] & 0x20 != 0
        let authority = origin.expect(sent, pieceByteCount: Int(bytes[1] & 15), staysOpen: staysOpen)
        let request = HTTPRequest(
            method: bytes[0] & 1 == 0 ? .head : .get,
            scheme: "http",
            authority: authority,
            path: "/"
        )
        let isTaken = Mutex(false)
        let done = DispatchSemaphore(value: 0)
        // Not on the threads that all tasks share: the current one, which blocks, may be one of them.
        Task(executorPreference: BlockingExecutor()) {
            let isWhole = await isWhole(request, mostly: sent.count)
            isTaken.withLock { $0 = isWhole }
            if staysOpen { _ = await Self.isWhole(request, mostly: max(sent.count, LoopbackOrigin.last.utf8.count)) }
            done.signal()
        }
        done.wait()
        return isTaken.withLock { $0 }
    }

    private static func isWhole(_ request: HTTPRequest, mostly byteCount: Int) async -> Bool {
        do {
            let response = try await transport.send(request)
            precondition((200...599).contains(response.head.status.code), "a status that no response has")
            var count = 0
            for try await part in response.body { count += part.count }
            precondition(count <= byteCount, "more content than was sent")
            precondition(request.method != .head || count == 0, "a HEAD with content")
            return true
        } catch {
            precondition((error as? BundleError)?.code == .networkUnavailable, "another failure: \(error)")
            return false
        }
    }
}
