import BundleNetwork
import BundleServing
import BundleStore
import Foundation
import HTTPTypes
import Logging
import NIOCore
import Synchronization

/// Answers requests by their fields, as ``EndpointResponder`` does, in the form that HTTP/2 sends. Thread-safe.
final class HTTP2Responder: Sendable {
    typealias Entry = HTTP2ResponseCache.Entry

    /// What a request has come to.
    enum Beginning {
        case answered(Entry)
        case waiting(HTTPRequest, @Sendable () async -> ServedResponse)
    }

    let responder: EndpointResponder
    private let limits: RequestHeadLimits
    private let cache = HTTP2ResponseCache()
    private let date = Mutex<(second: Int, text: [UInt8])>((.min, []))

    init(_ responder: EndpointResponder, head limits: RequestHeadLimits) {
        self.responder = responder
        self.limits = limits
    }

    /// A connection begins.
    func enter() {
        cache.enter()
    }

    /// A connection has ended.
    func leave() {
        cache.leave()
    }

    /// Lets go of what another state of the store answered; to be called now and then.
    func forgetOutdated() {
        cache.forget(before: responder.layers.generation)
    }

    /// Answers a request, at once if that needs no waiting.
    ///
    /// - Parameter port: The port on which it came in.
    func begin(_ block: HTTP2FieldBlock, at port: Int?) -> Beginning {
        // Read first: what is found after it is at least as new.
        let generation = responder.layers.generation
        if !block.isTooLarge, let entry = cache.entry(for: block.decisive, at: generation), !entry.body.hasFaulted {
            logHit(block, entry)
            return .answered(entry)
        }
        do {
            let request = try HTTPRequest(block, within: limits)
            switch responder.begin(request, at: port) {
            case .waiting(let rest): return .waiting(request, rest)
            case .complete(let response, let source, _):
                responder.log(request, response.head.status)
                let entry = Entry(response, source)
                // What the server itself says may be another thing in a moment.
                if source.layer != .server, [.ok, .notModified].contains(response.head.status) {
                    cache.insert(entry, for: block.decisive, at: generation)
                }
                return .answered(entry)
            }
        } catch {
            var response = block.isForHead ? error.response.withoutBody : error.response
            response.head = responder.fields.decorated(response.head, for: nil, isSecure: responder.isSecure)
            return .answered(Entry(response, ResponseSource(.server)))
        }
    }

    private func logHit(_ block: HTTP2FieldBlock, _ entry: Entry) {
        // A request is only made to be told of.
        guard responder.logger.logLevel <= .debug, let request = try? HTTPRequest(block, within: limits) else { return }
        responder.log(request, entry.head.status)
    }

    /// The record of a request that isn't answered yet; nil when nobody wants to know.
    func record(of block: HTTP2FieldBlock, from client: SocketAddress?) -> AccessRecord? {
        guard let observer = responder.observer else { return nil }
        // Only a log needs to know more than that there was one.
        let isLogged = observer.log != nil
        var record = AccessRecord(
            isLogged ? try? HTTPRequest(block, within: limits) : nil,
            from: isLogged ? LogText(client?.ipAddress) : .absent,
            at: responder.now()
        )
        record.version = .string("HTTP/2.0")
        // As nginx has it: until there is another one, nobody was told anything.
        record.status = 499
        return record
    }

    /// Takes note of what has become of a request; once.
    func observe(_ stream: HTTP2Stream, at now: NIODeadline) {
        guard var record = stream.record else { return }
        stream.record = nil
        record.byteCount = stream.sentByteCount
        record.duration = Duration(now - stream.beganAt)
        responder.observer?.record(record)
    }

    /// The value of `Date` for now; empty when the clock's year isn't one that HTTP can write.
    var currentDate: [UInt8] {
        guard let now = HTTPDate(responder.now()) else { return [] }
        return date.withLock { date in
            if date.second != now.secondsSince1970 { date = (now.secondsSince1970, Array(now.fieldValue.utf8)) }
            return date.text
        }
    }
}
