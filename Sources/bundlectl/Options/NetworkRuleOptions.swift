import ArgumentParser
import BundleNetwork
import BundleStore
import BundleTransport

/// What happens to requests that the bundles lack, besides the rules of their manifests. For all verbs that make such
/// requests, or say what becomes of them.
struct NetworkRuleOptions: ParsableArguments {
    static let options = [file, metered, development]

    private static let file = ConfigurableOption(
        "network-rules",
        "Network rules for all bundles, before those of their manifests: a JSON file of the form of a manifest's "
            + "“network”. The files of its mocks lie beside it.",
        value: "file"
    )
    @Option(Self.file, completion: .file()) var file: String?

    private static let metered = ConfigurableOption.flag(
        "metered",
        "The link is metered: network rules with “onlyIfMetered” apply. What “bundlectl network metered” says of the "
            + "store counts before this."
    )
    @Flag(Self.metered) var metered = false

    private static let development = ConfigurableOption.flag("development", "Network rules with “mock” apply.")
    @Flag(Self.development) var development = false

    /// When which rules apply.
    var conditions: RuleConditions { RuleConditions(isMetered: metered, isDevelopment: development) }

    /// The same with what the operator has said at run time.
    func conditions(in store: BundleStore) throws -> RuleConditions {
        var conditions = conditions
        if let isMetered = try store.meteredSetting() { conditions.isMetered = isMetered }
        return conditions
    }

    /// Reads the file.
    ///
    /// - Parameter warn: Called with a line for each rule that can never apply.
    /// - Throws: `BundleError` with code `inputUnavailable` when the file can't be read, `invalidArgument` when it is wrong.
    func read(warn: ([String]) -> Void) throws(BundleError) -> CommonRules {
        guard let file else { return CommonRules() }
        let (rules, warnings) = try CommonRules.read(file)
        warn(warnings)
        return rules
    }

    /// A responder that goes by the rules as a server of the store does.
    ///
    /// - Parameters:
    ///   - rules: What ``read(warn:)`` has read.
    ///   - transport: The network; nil to stay offline.
    func responder(_ store: BundleStore, _ rules: CommonRules, transport: NIOTransport?) -> LayeredResponder {
        // A store that can't be read says nothing of the link.
        let conditions = (try? conditions(in: store)) ?? conditions
        return LayeredResponder(
            store,
            transport: transport,
            networkRules: rules,
            isDevelopment: conditions.isDevelopment,
            link: NetworkLink(isMetered: conditions.isMetered)
        )
    }
}
