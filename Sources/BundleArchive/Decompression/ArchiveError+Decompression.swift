extension ArchiveError {
    /// There is no memory for a decompressor.
    static var noMemory: ArchiveError {
        ArchiveError(.unreadable, "can't be decompressed: no memory", advice: "free some and try again")
    }

    /// The end is missing.
    static var endsTooEarly: ArchiveError {
        ArchiveError(.truncated, "ends too early", advice: fetchAgain)
    }

    /// The compressed data contradicts itself.
    ///
    /// - Parameter detail: In which way; it is shown in parentheses.
    static func damagedCompression(_ detail: String) -> ArchiveError {
        ArchiveError(.damaged, "is damaged (\(detail))", advice: fetchAgain)
    }

    /// The archive needs more memory than it may take.
    static func windowTooLarge(advice: String) -> ArchiveError {
        let limit = DecompressionWindow.maximumByteCount >> 20
        return ArchiveError(
            .unsupportedFormat,
            "needs a window of over \(limit) MiB of memory to be decompressed",
            advice: advice
        )
    }

    /// Something follows the archive's end.
    ///
    /// - Parameter isZero: Whether that is nothing but zeros.
    static func followed(byZeros isZero: Bool) -> ArchiveError {
        guard isZero else { return ArchiveError(.damaged, "has data after its end", advice: fetchAgain) }
        return ArchiveError(
            .damaged,
            "has zeros after its end, with which bsdtar fills up what it writes to a pipe",
            advice: "pack it again, right into a file"
        )
    }
}
