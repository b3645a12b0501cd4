extension ArchiveError {
    /// What is in a compression layer isn't tar, or not even a bare file is.
    static func notTar(compressed isCompressed: Bool) -> ArchiveError {
        ArchiveError(
            .notAnArchive,
            "holds no tar archive\(isCompressed ? " under its compression" : "")",
            advice: "give a zip or tar archive"
        )
    }

    /// A tar in which programs see different files.
    static func unclearTar(_ problem: String) -> ArchiveError {
        ArchiveError(
            .damaged,
            "\(problem), which programs read in different ways",
            advice: "pack it again with another program"
        )
    }

    /// A size that is no number.
    static var tarWithoutSize: ArchiveError {
        ArchiveError(.damaged, "has a size that is no number", advice: fetchAgain)
    }

    /// A tar that was cut between two entries.
    static var tarWithoutEnd: ArchiveError {
        ArchiveError(.truncated, "ends without its end mark", advice: fetchAgain)
    }
}
