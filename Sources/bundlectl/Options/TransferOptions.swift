import ArgumentParser
import BundleNetwork

/// How slow downloads may be, and how fast.
struct TransferOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The longest time for one download: 30m, 6h. The next update goes on where it stopped. Default: 1h.",
            valueName: "duration"
        )
    )
    var downloadDeadline: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "The least rate per second of a download: one that is slower for \(TransferLimits().patience.components.seconds)s "
                + "ends. Default: 1KB.",
            valueName: "size|off"
        )
    )
    var leastRate: OptionalByteCountArgument?

    @Option(
        help: ArgumentHelp(
            "The highest rate per second of all downloads together: 500KB, 2MB. Default: off.",
            valueName: "size|off"
        )
    )
    var limitRate: OptionalByteCountArgument?

    func validate() throws {
        if downloadDeadline?.duration == .zero {
            throw ValidationError("0s", of: "--download-deadline", mustBe: "longer than 0s", suchAs: "30m")
        }
    }

    /// The limits that were given, otherwise the defaults.
    var limits: TransferLimits {
        var limits = TransferLimits()
        if let downloadDeadline { limits.deadline = downloadDeadline.duration }
        if let leastRate { limits.leastRate = leastRate.byteCount ?? 0 }
        limits.maximumRate = limitRate?.byteCount
        return limits
    }
}
