import BundleServing
import HTTPTypes

/// A request for what a bundle covers and lacks. One object, of which a waiting request needs no copies. Immutable; safe to
/// share between threads.
final class MissingResource: Sendable {
    let request: HTTPRequest
    /// Its URL on the network.
    let url: String
    let match: ResourceMatch
    /// The network rule that applies.
    let rule: RuleDecision?
    /// The client's address, which the origin is told; nil when it isn't.
    let address: ForwardedAddress?
    /// The bundle's file that can no longer be read; nil when it has none.
    let damage: DamagedFile?
    /// Takes the place of a response that isn't there; nil when nothing does.
    let offlinePage: Resource?

    init(
        _ request: HTTPRequest,
        _ url: String,
        _ match: ResourceMatch,
        _ rule: RuleDecision?,
        at address: ForwardedAddress?,
        damage: DamagedFile? = nil,
        offlinePage: Resource? = nil
    ) {
        (self.request, self.url, self.match) = (request, url, match)
        (self.rule, self.address) = (rule, address)
        (self.damage, self.offlinePage) = (damage, offlinePage)
    }

    /// The client's side, which gets an origin's interim responses as the bundle may forward them.
    func confined(_ client: ClientExchange) -> ClientExchange {
        ClientExchange(content: client.content, executor: client.executor, address: client.address) { [self] head in
            var head = head
            head.headerFields = head.headerFields.removingConnectionFields().confined(to: match, from: url)
            client.sendInterim(head)
        }
    }
}
