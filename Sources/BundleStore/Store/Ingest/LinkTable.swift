/// The links of a release that is being ingested, and where they lead.
///
/// A symbolic link's target is relative to the link's folder, a hard link's to the root. Both may go through other
/// links, which are followed component by component, as a kernel does.
struct LinkTable {
    /// What a link's target is relative to.
    enum Kind {
        case symbolic
        case hard
    }

    struct Link {
        let target: String
        let kind: Kind
    }

    /// The limit of Linux (`MAXSYMLINKS`), which fails with ELOOP beyond it.
    static let maximumHopCount = 40
    /// The limit for each of: the links with their targets, their resolved destinations, and the files that replace
    /// them. All three are held in memory and take at most 20 MB.
    static let maximumCount = 30_000
    static let maximumByteCount = 4_000_000
    /// The limit for the total number of components followed.
    private static let maximumStepCount = 2_000_000

    /// By path. Paths are normalised, so equal strings are equal paths.
    private(set) var links: [String: Link] = [:]
    private var byteCount = 0

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when there are too many links to be held in
    ///   memory.
    mutating func add(_ path: BundlePath, to target: String, _ kind: Kind) throws(BundleError) {
        byteCount += path.string.utf8.count + target.utf8.count
        guard links.count < Self.maximumCount, byteCount <= Self.maximumByteCount else {
            throw BundleError(
                .invalidArchive,
                "there are over \(Self.maximumCount) links, or their names come to over "
                    + "\(Self.maximumByteCount / 1_000_000) MB; pack the files themselves"
            )
        }
        links[path.string] = Link(target: target, kind: kind)
    }

    /// The final destination of every link: a path that goes through no link.
    ///
    /// - Parameter checkpoint: Called before each link; ends the call by throwing.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` for a link that leaves the bundle, loops, or
    ///   goes through too many others; what `checkpoint` throws.
    func resolved(_ checkpoint: () throws -> Void) throws -> [String: BundlePath] {
        var (steps, byteCount) = (0, 0)
        var targets: [String: BundlePath] = [:]
        // In path order, so that the same archive is always refused for the same link.
        for path in links.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            try checkpoint()
            let target = try resolve(path, &steps)
            byteCount += target.string.utf8.count
            guard byteCount <= Self.maximumByteCount else {
                throw refusal(path, "one of too many that lead to long names")
            }
            targets[path] = target
        }
        return targets
    }

    private func resolve(_ path: String, _ steps: inout Int) throws(BundleError) -> BundlePath {
        var components = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        var pending = [components.removeLast()]
        var hopCount = 0
        var followed: Set<String> = []
        var returns = false
        while let component = pending.popLast() {
            steps += 1
            guard steps <= Self.maximumStepCount else { throw refusal(path, "one of too many that go through others") }
            if component == "." { continue }
            if component == ".." {
                guard components.popLast() != nil else { throw leaves(path) }
                continue
            }
            components.append(component)
            let place = components.joined(separator: "/")
            guard let link = links[place] else { continue }
            hopCount += 1
            // A link may be followed twice, as in “l/../l”, without a loop.
            returns = !followed.insert(place).inserted || returns
            guard hopCount <= Self.maximumHopCount else { throw returns ? loops(path) : isTooLong(path) }
            guard link.target.utf8.first != UInt8(ascii: "/") else { throw leaves(path) }
            if link.kind == .symbolic { components.removeLast() } else { components = [] }
            pending += link.target.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.reversed()
        }
        // A link to the root leads to a folder that it lies in.
        guard !components.isEmpty else { throw loops(path) }
        do {
            return try BundlePath(components.joined(separator: "/"))
        } catch {
            throw dangles(path)
        }
    }

    func leaves(_ path: String) -> BundleError { refusal(path, "which leaves the bundle") }
    func loops(_ path: String) -> BundleError { refusal(path, "which leads back to the link") }
    func isTooLong(_ path: String) -> BundleError {
        refusal(path, "which leads on through over \(Self.maximumHopCount) links")
    }
    func dangles(_ path: String) -> BundleError { refusal(path, "which isn't there") }

    func refusal(_ path: String, _ problem: String) -> BundleError {
        BundleError(
            .invalidArchive,
            "“\(Printable.text(path))” is a link to “\(Printable.text(links[path]?.target ?? ""))”, \(problem); "
                + "pack the file itself"
        )
    }
}
