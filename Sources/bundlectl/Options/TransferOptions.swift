import ArgumentParser
import BundleNetwork
import BundleUpdate

/// How slow downloads may be, and how fast, and what needn't be downloaded.
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

    @Flag(
        help: """
            Take files from all bundles of the store instead of fetching them, also from other publishers'. A publisher may \
            then find out what the others' bundles contain.
            """
    )
    var shareContents = false

    func validate() throws {
        if downloadDeadline?.duration == .zero {
            throw ValidationError("0s", of: "--download-deadline", mustBe: "longer than 0s", suchAs: "30m")
        }
    }

    /// Sets what was given; the rest keeps its defaults.
    func apply(to configuration: inout Updater.Configuration) {
        configuration.transfers = limits
        configuration.sharesContents = shareContents
    }

    private var limits: TransferLimits {
        var limits = TransferLimits()
        if let downloadDeadline { limits.deadline = downloadDeadline.duration }
        if let leastRate { limits.leastRate = leastRate.byteCount ?? 0 }
        limits.maximumRate = limitRate?.byteCount
        return limits
    }
}
