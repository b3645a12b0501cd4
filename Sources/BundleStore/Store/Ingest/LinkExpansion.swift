/// What the links of a release stand for: the file that a link leads to, or all the files below the folder.
struct LinkExpansion {
    /// A number of files and of their bytes.
    struct Budget {
        var fileCount: Int
        var byteCount: UInt64
    }

    private let links: LinkTable
    private let targets: [String: BundlePath]
    private let sortedPaths: [String]
    /// For each copied path its destinations: the links that lead there, and those that lead to a folder with such a
    /// link.
    private var destinations: [String: [String]] = [:]
    private var destinationCount = 0
    private var destinationByteCount = 0

    /// - Parameter checkpoint: Called before each step; ends the expansion by throwing.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` for a link that leaves the bundle, loops, or
    ///   goes through too many others; what `checkpoint` throws.
    init(of links: LinkTable, _ checkpoint: () throws -> Void) throws {
        self.links = links
        targets = try links.resolved(checkpoint)
        sortedPaths = targets.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for path in sortedPaths {
            try checkpoint()
            try copy(targets[path], to: path, of: path, through: [])
        }
    }

    /// Adds a record for each file that a link stands for.
    ///
    /// - Parameter checkpoint: Called before each record; ends the expansion by throwing.
    /// - Returns: The number and the size of the copies.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` for a link that dangles, and when the copies
    ///   exceed the budget; what `checkpoint` throws; `Errno` when the records can't be read or written.
    func add(
        to records: RecordSorter,
        in layout: StoreLayout,
        within budget: Budget,
        _ checkpoint: () throws -> Void
    ) throws -> Budget {
        let copies = RecordSorter(in: layout)
        var left = budget
        var found: Set<String> = []
        try records.forEach { record in
            try checkpoint()
            guard record.kind != .link else { return }
            try forEachCopied(record) { source, rest in
                found.insert(source)
                guard record.kind == .file else { return }
                for destination in destinations[source] ?? [] {
                    try checkpoint()
                    try Self.charge(record.content, to: &left)
                    var path = try self.path(destination + rest).string
                    try path.withUTF8 { try copies.append(.file, UnsafeRawBufferPointer($0), record.content) }
                }
            }
        }
        for path in sortedPaths {
            guard let target = targets[path]?.string else { continue }
            guard found.contains(target) || !linkPaths(below: target).isEmpty else { throw links.dangles(path) }
        }
        try copies.forEach { try records.append($0.kind, $0.key, $0.content) }
        return Budget(fileCount: budget.fileCount - left.fileCount, byteCount: budget.byteCount - left.byteCount)
    }

    /// Adds what a link leads to, and what the links below that lead to.
    private mutating func copy(
        _ target: BundlePath?,
        to destination: String,
        of link: String,
        through chain: [String]
    ) throws(BundleError) {
        guard let target = target?.string else { return }
        // A folder that holds the link would contain itself without end.
        guard !chain.contains(target), !destination.utf8.starts(with: (target + "/").utf8) else {
            throw links.loops(link)
        }
        guard chain.count <= LinkTable.maximumHopCount else { throw links.isTooLong(link) }
        destinationCount += 1
        destinationByteCount += destination.utf8.count
        guard destinationCount <= LinkTable.maximumCount, destinationByteCount <= LinkTable.maximumByteCount else {
            throw links.refusal(link, "one of too many that lead to folders with links")
        }
        destinations[target, default: []].append(destination)
        for path in linkPaths(below: target) {
            let rest = String(Substring(path.utf8.dropFirst(target.utf8.count)))
            try copy(targets[path], to: destination + rest, of: link, through: chain + [target])
        }
    }

    private func linkPaths(below folder: String) -> ArraySlice<String> {
        let prefix = folder + "/"
        let start = sortedPaths.partitioningIndex { !$0.utf8.lexicographicallyPrecedes(prefix.utf8) }
        return sortedPaths[start...].prefix { $0.utf8.starts(with: prefix.utf8) }
    }

    /// Calls `body` with each copied path that equals the record's path or contains it, and with the rest of the
    /// record's path.
    private func forEachCopied(_ record: IngestRecord, _ body: (_ source: String, _ rest: String) throws -> Void) throws
    {
        let key = record.key
        for (index, byte) in key.enumerated() where byte == UInt8(ascii: "/") {
            let source = String(decoding: key[..<index], as: UTF8.self)
            guard destinations[source] != nil else { continue }
            try body(source, String(decoding: key[index...], as: UTF8.self))
        }
        let path = String(decoding: key, as: UTF8.self)
        if destinations[path] != nil { try body(path, "") }
    }

    private static func charge(_ content: IngestContent, to budget: inout Budget) throws(BundleError) {
        guard budget.fileCount > 0, content.byteCount <= budget.byteCount else {
            throw BundleError(
                .invalidArchive,
                "its links stand for more files, or more bytes, than the limits allow; pack the files themselves, or raise "
                    + "the limits"
            )
        }
        budget.fileCount -= 1
        budget.byteCount -= content.byteCount
    }

    private func path(_ string: String) throws(BundleError) -> BundlePath {
        do {
            return try BundlePath(string)
        } catch {
            throw BundleError(
                .invalidArchive,
                "a link stands for the path \(error); pack the file itself",
                cause: error
            )
        }
    }
}

extension [String] {
    /// The first index for which `predicate` holds; it must hold for all indices after it.
    fileprivate func partitioningIndex(where predicate: (String) -> Bool) -> Int {
        var range = startIndex..<endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = predicate(self[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}
