/// A change to what is cached.
enum CacheChange: Sendable {
    case insert(NewCachedResponse, CachedRow)
    /// Other metadata; and other parts, when some are added.
    case update(CachedRow, metadata: [UInt8], CachedSelection, parts: CachedPartChange?)
    case remove(CachedRow)
    case removeAll(CachedKey)
}

extension CacheChange {
    /// The files that must be durable before it is applied.
    var files: [CachedBodyFile] {
        switch self {
        case .insert(let response, _): response.bodies.compactMap(\.file)
        case .update(_, _, _, let parts): parts?.added.compactMap(\.body.file) ?? []
        case .remove, .removeAll: []
        }
    }

    /// Whether its files are still locked: otherwise another process may have removed them.
    var isLasting: Bool { files.allSatisfy(\.isLocked) }

    /// The row that it is about.
    var row: CachedRow? {
        switch self {
        case .insert(_, let row), .update(let row, _, _, _), .remove(let row): row
        case .removeAll: nil
        }
    }
}
