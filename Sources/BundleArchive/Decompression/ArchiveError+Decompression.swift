extension ArchiveError {
    /// The system has no memory for a decompressor.
    static var noMemory: ArchiveError {
        ArchiveError(.unreadable, "can't be decompressed: out of memory", advice: "free some memory and try again")
    }

    /// The end is missing.
    static var endsTooEarly: ArchiveError {
        ArchiveError(.truncated, "ends too early", advice: fetchAgain)
    }

    /// The compressed data contradicts itself.
    ///
    /// - Parameter detail: The contradiction, shown in parentheses.
    static func damagedCompression(_ detail: String) -> ArchiveError {
        ArchiveError(.damaged, "is damaged (\(detail))", advice: fetchAgain)
    }

    /// The archive needs more memory than is allowed.
    static func windowTooLarge(advice: String) -> ArchiveError {
        let limit = DecompressionWindow.maximumByteCount >> 20
        return ArchiveError(
            .unsupportedFormat,
            "needs a window of over \(limit) MiB of memory to be decompressed",
            advice: advice
        )
    }

    /// Data follows the archive's end.
    ///
    /// - Parameter isZero: Whether all of it is zeros.
    static func followed(byZeros isZero: Bool) -> ArchiveError {
        guard isZero else { return ArchiveError(.damaged, "has data after its end", advice: fetchAgain) }
        return ArchiveError(
            .damaged,
            "has zeros after its end, as bsdtar writes them to a pipe",
            advice: "pack it again, directly to a file"
        )
    }
}
