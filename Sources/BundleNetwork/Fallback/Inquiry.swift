import BundleServing
import HTTPTypes

/// A client's request to the network, with what the cache has for it. A value type; safe to share between threads.
struct Inquiry: Sendable {
    /// The client's request.
    let client: HTTPRequest
    /// What is fetched if the origin is asked.
    var fetch: Fetch
    /// The stored response; nil when there is none, or only parts of one that don't suffice.
    private(set) var stored: CachedVariant?
    let hasOfflinePage: Bool
    /// The right to be fetched without a client that waits for it: a revalidation. Nil for a request of a client.
    var unattended: FetchPermits.Unattended?

    init(client: HTTPRequest, fetch: Fetch, lookup: CacheLookup, hasOfflinePage: Bool) {
        self.client = client
        self.hasOfflinePage = hasOfflinePage
        var fetch = fetch
        switch lookup {
        case .found(let variant) where variant.suffices(for: client): fetch.stored = variant
        case .found(let variant): fetch.completion = Completion(of: client, from: variant)
        case .otherVariants: fetch.hasOtherVariants = true
        case .nothing: break
        }
        stored = fetch.stored
        self.fetch = fetch
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
        var inquiry = self
        for name in [HTTPField.Name.range, .ifRange] {
            inquiry.fetch.request.headerFields[name] = client.headerFields[name]
        }
        return inquiry
    }

    /// Whether nothing is stored that the origin could confirm or complete.
    var hasNothingStored: Bool { stored == nil && fetch.completion == nil && !fetch.hasOtherVariants }

    /// Whether responses to other requests can serve this one, and its response can serve others.
    var mayShare: Bool { fetch.mayStore && fetch.request.method == .get && !CacheControl(client.headerFields).noStore }

    private static func asksForLess(_ field: HTTPField) -> Bool {
        field.name == .range || conditions.contains(field.name)
    }

    private static let conditions: [HTTPField.Name] = [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]
}
