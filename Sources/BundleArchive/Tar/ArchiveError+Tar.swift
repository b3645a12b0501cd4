extension ArchiveError {
    /// The data, or the content of its compression layer, isn't tar.
    static func notTar(compressed isCompressed: Bool) -> ArchiveError {
        ArchiveError(
            .notAnArchive,
            "contains no tar archive\(isCompressed ? " under its compression" : "")",
            advice: "give a zip or tar archive"
        )
    }

    /// A tar that programs read differently.
    static func unclearTar(_ problem: String) -> ArchiveError {
        ArchiveError(
            .damaged,
            "\(problem), which programs read differently",
            advice: "pack it again with another program"
        )
    }

    /// A size field that isn't a number.
    static var tarWithoutSize: ArchiveError {
        ArchiveError(.damaged, "has a size that isn't a number", advice: fetchAgain)
    }

    /// A tar that was truncated between two entries.
    static var tarWithoutEnd: ArchiveError {
        ArchiveError(.truncated, "ends without its end mark", advice: fetchAgain)
    }
}
