import BundleStore

/// Finds the longest registered prefix of a path, by whole components. The time depends on the depth of the prefixes,
/// not on their number.
///
/// A hash table over the bytes of authority and path. Swift's `Hasher` has a random key in each process, so that no
/// manifest can make a long probe sequence.
struct PrefixTable: ~Copyable, Sendable {
    /// A registered prefix that a path starts with.
    struct Match {
        /// The number that was registered.
        let target: Int
        /// The prefix's length in bytes, from the first slash to the end of a component.
        let byteCount: Int
        /// The number of its components.
        let depth: Int
    }

    /// Where a path is looked up: on a site, or on none in particular.
    struct Site {
        /// Nil where the scheme is ignored.
        let scheme: OriginURL.Scheme?
        /// Host and port in canonical form; empty where they are ignored.
        let authority: UnsafeRawBufferPointer
    }

    private struct Prefix: Sendable {
        let hash: Int
        let scheme: OriginURL.Scheme?
        let authorityByteCount: Int
        /// The position of authority and path in the keys.
        let key: Range<Int>
        let target: Int
    }

    private var prefixes: [Prefix] = []
    /// The authority and the path of each prefix, one after the other.
    private var keys: [UInt8] = []
    /// The number of a prefix plus one, or zero; at most half of them are used.
    private var buckets = [UInt32](repeating: 0, count: 8)
    /// From the shallowest to the deepest.
    private var depths = 0...0

    /// Registers a prefix. The first target of a prefix keeps it.
    ///
    /// - Parameters:
    ///   - target: The number that ``longest(of:in:)`` returns.
    ///   - components: The decoded components of the path.
    ///   - scheme: See ``Site/scheme``.
    ///   - authority: See ``Site/authority``.
    mutating func insert(_ target: Int, at components: [String], scheme: OriginURL.Scheme?, authority: String) {
        let path = components.flatMap { Array("/\($0)".utf8) }
        let authority = Array(authority.utf8)
        let (hash, isTaken) = authority.withUnsafeBytes { authority in
            path.withUnsafeBytes { path in
                let site = Site(scheme: scheme, authority: authority)
                var hasher = Self.hasher(for: site)
                var end = 0
                while let next = Self.endOfComponent(after: end, in: path) {
                    hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: path[end..<next]))
                    end = next
                }
                let hash = hasher.finalize()
                return (hash, self.target(of: hash, path, site) != nil)
            }
        }
        guard !isTaken else { return }
        keys += authority + path
        prefixes.append(
            Prefix(
                hash: hash,
                scheme: scheme,
                authorityByteCount: authority.count,
                key: keys.count - authority.count - path.count..<keys.count,
                target: target
            )
        )
        let depth = components.count
        depths = prefixes.count == 1 ? depth...depth : min(depths.lowerBound, depth)...max(depths.upperBound, depth)
        takeBucket()
    }

    /// The longest prefix of a path on a site.
    ///
    /// - Parameter path: Decoded; empty, or a sequence of a slash and a component.
    func longest(of path: UnsafeRawBufferPointer, in site: Site) -> Match? {
        guard !prefixes.isEmpty else { return nil }
        var hasher = Self.hasher(for: site)
        var longest: Match?
        var (end, depth) = (0, 0)
        while true {
            let prefix = UnsafeRawBufferPointer(rebasing: path[..<end])
            if depth >= depths.lowerBound, let target = target(of: hasher.finalize(), prefix, site) {
                longest = Match(target: target, byteCount: end, depth: depth)
            }
            guard depth < depths.upperBound, let next = Self.endOfComponent(after: end, in: path) else {
                return longest
            }
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: path[end..<next]))
            depth += 1
            end = next
        }
    }

    private static func hasher(for site: Site) -> Hasher {
        var hasher = Hasher()
        hasher.combine(bytes: site.authority)
        return hasher
    }

    /// The end of the component that starts with a slash at `start`, or nil at the path's end.
    private static func endOfComponent(after start: Int, in path: UnsafeRawBufferPointer) -> Int? {
        guard start < path.count else { return nil }
        var end = start + 1
        while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
        return end
    }

    private func target(of hash: Int, _ path: UnsafeRawBufferPointer, _ site: Site) -> Int? {
        var bucket = hash & (buckets.count - 1)
        while case let number = Int(buckets[bucket]), number != 0 {
            if hasKey(prefixes[number - 1], hash, path, site) { return prefixes[number - 1].target }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }

    private func hasKey(_ prefix: Prefix, _ hash: Int, _ path: UnsafeRawBufferPointer, _ site: Site) -> Bool {
        guard prefix.hash == hash, prefix.scheme == site.scheme, prefix.authorityByteCount == site.authority.count,
            prefix.key.count == site.authority.count + path.count
        else { return false }
        return keys.withUnsafeBytes { keys in
            let path = path.indices.allSatisfy { keys[prefix.key.upperBound - path.count + $0] == path[$0] }
            return path && site.authority.indices.allSatisfy { keys[prefix.key.lowerBound + $0] == site.authority[$0] }
        }
    }

    /// Inserts the last prefix, and all prefixes again when the table grows.
    private mutating func takeBucket() {
        var numbers = prefixes.count...prefixes.count
        if prefixes.count * 2 > buckets.count {
            buckets = [UInt32](repeating: 0, count: buckets.count * 2)
            numbers = 1...prefixes.count
        }
        for number in numbers {
            var bucket = prefixes[number - 1].hash & (buckets.count - 1)
            while buckets[bucket] != 0 { bucket = (bucket + 1) & (buckets.count - 1) }
            buckets[bucket] = UInt32(number)
        }
    }
}
