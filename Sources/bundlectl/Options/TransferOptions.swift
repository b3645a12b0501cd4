import ArgumentParser
import BundleNetwork
import BundleStore
import BundleUpdate

/// How slow downloads may be, and how fast, and what needn't be downloaded.
struct TransferOptions: ParsableArguments {
    static let options = [downloadDeadline, leastRate, limitRate, shareContents, mirror]
    private static let defaults = TransferLimits()

    private static let downloadDeadline = ConfigurableOption(
        "download-deadline",
        "The longest time for one download: 30m, 6h. The next update goes on where it stopped.",
        value: "duration",
        default: "\(defaults.deadline.components.seconds / 3_600)h"
    )
    @Option(Self.downloadDeadline) var downloadDeadline: DurationArgument?

    private static let leastRate = ConfigurableOption(
        "least-rate",
        "The least rate per second of a download: one that is slower for \(DurationArgument.text(defaults.patience)) ends.",
        value: "size|off",
        default: "\(defaults.leastRate / 1_000)KB"
    )
    @Option(Self.leastRate) var leastRate: OptionalByteCountArgument?

    private static let limitRate = ConfigurableOption(
        "limit-rate",
        "The highest rate per second of all downloads together: 500KB, 2MB.",
        value: "size|off",
        default: "off"
    )
    @Option(Self.limitRate) var limitRate: OptionalByteCountArgument?

    private static let shareContents = ConfigurableOption.flag(
        "share-contents",
        """
        Take files from all bundles of the store instead of fetching them, also from other publishers'. A publisher may \
        then find out what the others' bundles contain.
        """
    )
    @Flag(Self.shareContents) var shareContents = false

    private static let mirror = ConfigurableOption(
        "mirror",
        "Ask this cache on the site's network first: http://cache.local:8080. It has the files of https://HOST/PATH at /HOST/PATH. What it "
            + "sends counts only if its digest is right.",
        value: "url"
    )
    @Option(Self.mirror) var mirror: String?

    func validate() throws {
        if let mirror {
            do {
                _ = try SiteCache(mirror)
            } catch {
                throw ValidationError("\(Self.mirror.label): \(error.message)")
            }
        }
        if downloadDeadline?.duration == .zero {
            throw ValidationError("0s", of: Self.downloadDeadline.label, mustBe: "longer than 0s", suchAs: "30m")
        }
    }

    /// Sets what was given; the rest keeps its defaults.
    func apply(to configuration: inout Updater.Configuration) {
        configuration.transfers = limits
        configuration.sharesContents = shareContents
        configuration.siteCache = mirror.flatMap { try? SiteCache($0) }
    }

    private var limits: TransferLimits {
        var limits = Self.defaults
        if let downloadDeadline { limits.deadline = downloadDeadline.duration }
        if let leastRate { limits.leastRate = leastRate.byteCount ?? 0 }
        limits.maximumRate = limitRate?.byteCount
        return limits
    }
}
