import BundleServing
import HTTPTypes

/// A client's request to the network, with what the cache has for it. One object, of which a waiting request needs no copies.
/// Immutable; safe to share between threads.
final class Inquiry: Sendable {
    /// The client's request.
    let client: HTTPRequest
    /// What is fetched if the origin is asked.
    let fetch: Fetch
    /// The stored response; nil when there is none, or only parts of one that don't suffice.
    var stored: CachedVariant? { fetch.stored }
    let hasOfflinePage: Bool
    /// The response that a rule permits without a network, even if HTTP forbids it; nil for none.
    let offlineCopy: CachedVariant?
    /// The right to be fetched without a client that waits for it: a revalidation. Nil for a request of a client.
    let unattended: FetchPermits.Unattended?

    /// Not inlined: its variables would stay in memory for as long as the request waits.
    @inline(never)
    init(
        client: HTTPRequest,
        fetch: Fetch,
        lookup: CacheLookup,
        hasOfflinePage: Bool,
        offlineCopy: CachedVariant? = nil
    ) {
        self.client = client
        (self.hasOfflinePage, self.offlineCopy) = (hasOfflinePage, offlineCopy)
        var fetch = fetch
        switch lookup {
        case .found(let variant) where variant.suffices(for: client): fetch.known = .whole(variant)
        case .found(let variant): fetch.known = Completion(of: client, from: variant).map { .parts($0) } ?? .nothing
        case .otherVariants: fetch.known = .otherVariants
        case .nothing: break
        }
        self.fetch = fetch
        unattended = nil
    }

    private init(_ other: Inquiry, _ fetch: Fetch, _ unattended: FetchPermits.Unattended?) {
        (client, hasOfflinePage, offlineCopy) = (other.client, other.hasOfflinePage, other.offlineCopy)
        (self.fetch, self.unattended) = (fetch, unattended)
    }

    /// Whether the stored response was sent to another user than the client's, as far as a rule tells users apart.
    var isOfOtherUser: Bool {
        guard let copies = fetch.offlineCopies, let user = stored?.response.user else { return false }
        return copies.user(of: fetch.request.headerFields) != user
    }

    /// The same for a fetch behind the client's back.
    func revalidating(_ unattended: FetchPermits.Unattended) -> Inquiry {
        var fetch = fetch
        fetch.request.method = .get
        fetch.onInterim = nil
        return Inquiry(self, fetch, unattended)
    }

    /// Whether the client wants the whole content, unconditionally, so that it can be passed on as it arrives.
    var wantsWhole: Bool { client.method == .get && !client.headerFields.contains(where: Self.asksForLess) }

    /// Where the part begins that is asked for, if the origin may be asked for that part alone: no whole response is
    /// stored that it could confirm, and there is one range (RFC 9110 §14.2). Offsets from the end count as 0.
    var partialOffset: Int? {
        guard stored?.isComplete != true, client.method == .get, let value = client.headerFields[.range],
            let ranges = ByteRangeSet(value)?.ranges, ranges.count == 1,
            !client.headerFields.contains(where: { Self.conditions.contains($0.name) })
        else { return nil }
        return if case .from(let offset, _) = ranges[0] { offset } else { 0 }
    }

    /// The same with the client's range in the request to the origin, if it may be asked for that part alone.
    var ranged: Inquiry {
        guard partialOffset != nil else { return self }
        var fetch = fetch
        for name in [HTTPField.Name.range, .ifRange] {
            fetch.request.headerFields[name] = client.headerFields[name]
        }
        return Inquiry(self, fetch, unattended)
    }

    /// Whether nothing is stored that the origin could confirm or complete.
    var hasNothingStored: Bool { if case .nothing = fetch.known { true } else { false } }

    /// Whether responses to other requests can serve this one, and its response can serve others.
    var mayShare: Bool { fetch.mayStore && fetch.request.method == .get && !CacheControl(client.headerFields).noStore }

    private static func asksForLess(_ field: HTTPField) -> Bool {
        field.name == .range || conditions.contains(field.name)
    }

    private static let conditions = DecidingField.preconditions.map(\.name)
}
