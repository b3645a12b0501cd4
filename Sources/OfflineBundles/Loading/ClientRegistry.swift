import BundleEmbedding
import Foundation
import HTTPCore
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Which client belongs to which class. `URLProtocol` knows classes only: so each session's client has one of its own.
/// Thread-safe.
final class ClientRegistry: Sendable {
    /// A client, as a class has it: until it is closed.
    struct Registration: Sendable {
        let client: BundleClient
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

    /// How many classes there are before one is used again: sessions of a client that was closed may be in use.
    static let unusedSlotCount = 64

    /// A class for the sessions of a client: a new one, or if there are many, one whose client has been closed.
    func addSession(_ client: BundleClient, _ options: LoadingOptions) -> BundleURLProtocol.Type {
        let type = state.withLock { state in
            let registration = Registration(client: client, options: options)
            for slot in state.slots where state.slots.count >= Self.unusedSlotCount {
                let key = ObjectIdentifier(slot.protocolClass)
                guard state.registrations[key] == nil else { continue }
                state.registrations[key] = [registration]
                return slot.protocolClass
            }
            let slot: any SessionSlot.Type = state.slots.last.map { $0.next } ?? FirstSlot.self
            state.slots.append(slot)
            state.registrations[ObjectIdentifier(slot.protocolClass)] = [registration]
            return slot.protocolClass
        }
        removeOnClose(client)
        return type
    }

    func addGlobal(_ client: BundleClient, _ options: LoadingOptions) {
        removeGlobal(client)
        state.withLock { state in
            let registration = Registration(client: client, options: options)
            state.registrations[Self.global, default: []].insert(registration, at: 0)
        }
        removeOnClose(client)
    }

    func removeGlobal(_ client: BundleClient) {
        remove(client, from: [Self.global])
    }

    private func removeOnClose(_ client: BundleClient) {
        client.onClose { [weak client] in
            if let client { self.remove(client, from: nil) }
        }
    }

    /// - Parameter classes: Nil for all.
    private func remove(_ client: BundleClient, from classes: Set<ObjectIdentifier>?) {
        // The caller has a reference: none goes under the lock that would close the client.
        state.withLock { state in
            for (key, registrations) in state.registrations where classes?.contains(key) ?? true {
                let kept = registrations.filter { $0.client !== client }
                state.registrations[key] = kept.isEmpty ? nil : kept
            }
        }
    }

    /// The client of a class that is responsible for a URL; nil when none is.
    ///
    /// - Parameter request: Is to be one of those that the client's options take; nil to ask for the URL alone.
    func responsible(of type: BundleURLProtocol.Type, for url: URL, _ request: URLRequest? = nil) -> Responsible? {
        let registrations = state.withLock { $0.registrations[ObjectIdentifier(type)] ?? [] }
        for registration in registrations {
            let options = registration.options
            guard let target = RequestTarget(url, options), options.isOwn(target) || registration.client.covers(target),
                request.map(options.takes) ?? true
            else { continue }
            return Responsible(client: registration.client, options: options, target: target)
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
