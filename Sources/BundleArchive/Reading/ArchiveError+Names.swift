import BundleModel

extension ArchiveError {
    /// A name that isn't valid in `charset`; for nil, one that isn't UTF-8 although no charset was given.
    static func nameNot(_ charset: ArchiveCharset?) -> ArchiveError {
        let others = ArchiveCharset.allCases.map(\.rawValue).filter { $0 != charset?.rawValue }
        guard let charset else {
            return ArchiveError(.nameNotUTF8, "has a name that isn't UTF-8", .nameCharset(others))
        }
        return ArchiveError(.nameNotUTF8, "has a name that isn't \(charset) either", .nameOtherCharset(others))
    }

    /// A name that is marked as UTF-8 but isn't.
    static var wrongUTF8: ArchiveError {
        ArchiveError(
            .nameNotUTF8,
            "has a name that is marked as UTF-8 but isn't",
            advice: "repack the archive with UTF-8 names"
        )
    }
}
