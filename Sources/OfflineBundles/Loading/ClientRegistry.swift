import BundleEmbedding
import Foundation
import Synchronization

/// Which client belongs to which class. `URLProtocol` knows classes only: so each session's client has one of its own.
/// Thread-safe.
final class ClientRegistry: Sendable {
    /// A client, as a class has it.
    struct Registration: Sendable {
        weak var weakClient: BundleClient?
        let options: LoadingOptions
    }

    /// A client that is responsible for a URL.
    struct Responsible: Sendable {
        let client: BundleClient
        let options: LoadingOptions
        /// The URL, as the client gets it.
        let target: RequestTarget
    }

    private struct State {
        var registrations: [ObjectIdentifier: [Registration]] = [:]
        /// The classes of sessions that have been made.
        var slots: [any SessionSlot.Type] = []
    }

    static let shared = ClientRegistry()

    private let state = Mutex(State())

    private init() {}

    /// A class for the sessions of a client: one whose client has been released, or another one.
    func addSession(_ client: BundleClient, _ options: LoadingOptions) -> BundleURLProtocol.Type {
        state.withLock { state in
            let registration = Registration(weakClient: client, options: options)
            for slot in state.slots {
                let key = ObjectIdentifier(slot.protocolClass)
                guard state.registrations[key]?.first?.weakClient == nil else { continue }
                state.registrations[key] = [registration]
                return slot.protocolClass
            }
            let slot: any SessionSlot.Type = state.slots.last.map { $0.next } ?? FirstSlot.self
            state.slots.append(slot)
            state.registrations[ObjectIdentifier(slot.protocolClass)] = [registration]
            return slot.protocolClass
        }
    }

    func addGlobal(_ client: BundleClient, _ options: LoadingOptions) {
        removeGlobal(client)
        state.withLock { state in
            let registration = Registration(weakClient: client, options: options)
            state.registrations[Self.global, default: []].insert(registration, at: 0)
        }
    }

    func removeGlobal(_ client: BundleClient) {
        state.withLock { state in
            state.registrations[Self.global]?.removeAll { $0.weakClient == nil || $0.weakClient === client }
        }
    }

    /// The client of a class that is responsible for a URL; nil when none is.
    func responsible(of type: BundleURLProtocol.Type, for url: URL) -> Responsible? {
        let registrations = state.withLock { $0.registrations[ObjectIdentifier(type)] ?? [] }
        for registration in registrations {
            let options = registration.options
            guard let client = registration.weakClient, let target = RequestTarget(url, options),
                options.isOwn(target) || client.covers(target)
            else { continue }
            return Responsible(client: client, options: options, target: target)
        }
        return nil
    }

    private static let global = ObjectIdentifier(BundleURLProtocol.self)
}

/// A place for the client of a session's configuration, at the level of types.
protocol SessionSlot {}

extension SessionSlot {
    static var protocolClass: BundleURLProtocol.Type { SessionURLProtocol<Self>.self }
    static var next: any SessionSlot.Type { NextSlot<Self>.self }
}

private enum FirstSlot: SessionSlot {}

/// The one behind another. There are as many as there are clients at the same time: the runtime makes them.
private enum NextSlot<Previous: SessionSlot>: SessionSlot {}

/// The class of one session's client.
private final class SessionURLProtocol<Slot: SessionSlot>: BundleURLProtocol {}
