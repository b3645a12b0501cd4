import ArgumentParser
import BundleNetwork
import BundleServer
import BundleServing
import BundleStore
import Foundation

struct Resolve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Show which layer and rule serves a URL, and why the others don't.",
        discussion: """
            A URL may be pasted from the address bar of a browser that shows a page of the endpoint. The order of the \
            layers is: active version, earlier versions, the manifest's route fallback, cache, \
            network, offline page. Nothing is sent over the network.

            Example:
              bundlectl resolve https://shop.example/shop/products/42 --navigation
            """
    )

    @Argument(
        help: "An http or https URL, such as http://shop.localhost:8080/, or a path of the endpoint, such as /shop/."
    )
    var url: String

    @Flag(help: "Resolve the URL as for a browser that opens a page, not for a page that loads a part.")
    var navigation = false

    @OptionGroup var serving: ServingOptions
    @OptionGroup var caching: CacheOptions
    @OptionGroup var networkRules: NetworkRuleOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let parts = URLComponents(string: url), parts.user != nil || parts.password != nil {
            throw ValidationError(
                "a URL with a user or a password isn't resolved; leave out what is before the @, as in "
                    + "http://shop.localhost:8080/"
            )
        }
        if target == nil {
            throw ValidationError(
                "“\(Printable.text(url))” is neither an http or https URL nor a path that starts with a slash, such as "
                    + "http://shop.localhost:8080/ or /shop/"
            )
        }
        if let sequence = target.flatMap({ PercentEncoding.malformedSequence(in: $0.path) }) {
            throw ValidationError(
                "“\(Printable.text(url))” is malformed at “\(Printable.text(sequence))”: two hexadecimal digits follow a %; "
                    + "a % itself is %25"
            )
        }
    }

    func run() async throws {
        guard let target else { return }
        let store = try store.open(readsIndexes: true)
        let tracer = ResolutionTracer(
            store,
            addresses: serving.addresses,
            policy: caching.policy,
            isOffline: serving.offline,
            rules: try networkRules.read(warn: output.console.warn),
            conditions: try networkRules.conditions(in: store)
        )
        let isOwn = target.atOwnAddress != nil
        let hint = isOwn ? hint(about: target, naming: store.snapshot.sortedBundles.first?.name.string ?? "shop") : nil
        try output.console.report(Resolution(url, trace(target, by: tracer), hint: hint))
    }

    /// What helps with an address of an endpoint whose mounts aren't known here.
    private func hint(about target: RequestTarget, naming name: String) -> String {
        "if a server has a bundle there, give its --mount or --host too, such as --mount \(name)=/, or the bundle's own URL, such "
            + "as http://\(name).localhost\(target.port)/"
    }

    private func trace(_ target: RequestTarget, by tracer: ResolutionTracer) -> ResolutionTrace? {
        tracer.trace(target, isNavigation: navigation)
            ?? target.atOwnAddress.flatMap { tracer.trace($0, isNavigation: navigation) }
    }

    private var target: RequestTarget? { RequestTarget(url, host: nil)?.received(with: serving.addresses) }
}

/// The result of `resolve`.
struct Resolution: Report {
    /// The part of one layer.
    struct Step: Encodable {
        let layer: ResolutionTrace.Layer
        let verdict: ResolutionTrace.Verdict
        let reason: String
    }

    /// The file that is served.
    struct File: Encodable {
        let version: String
        let path: String
        let rule: String
        let byteCount: Int
        let mediaType: String
        let sha256: String
        /// Why browsers may keep it without asking again; nil when they may not.
        let immutable: String?
    }

    let url: String
    let bundle: String?
    let version: String?
    let route: String?
    let response: ResolutionTrace.Layer?
    let file: File?
    let redirect: String?
    let origin: String?
    let steps: [Step]
    let rules: [String]
    private let hint: String?

    private enum CodingKeys: CodingKey {
        case url, bundle, version, route, response, file, redirect, origin, steps, rules
    }

    /// - Parameters:
    ///   - url: As it was given.
    ///   - trace: Nil when no bundle covers it.
    ///   - hint: What may help then.
    init(_ url: String, _ trace: ResolutionTrace?, hint: String? = nil) {
        self.url = url
        self.hint = hint
        bundle = trace?.match.release.name.string
        version = trace?.match.release.version.string
        route = trace?.match.route.description
        response = trace?.response?.layer
        file = trace?.resource.map(File.init)
        redirect = if case .redirect(let location) = trace?.match.outcome { location } else { nil }
        origin = trace?.match.originURL
        rules = trace?.rules ?? []
        steps = (trace?.steps ?? []).map {
            Step(layer: $0.layer, verdict: $0.verdict, reason: Advice.line(Notice($0.reason, $0.remedy)))
        }
    }

    var lines: [String] {
        guard let bundle, let version, let route else {
            return ["no active bundle covers \(Printable.line(url))", hint].compactMap(\.self)
        }
        let found = steps.first { $0.layer == response }.map { "\($0.layer) \($0.verdict)" } ?? "nothing responds"
        let table = Table.lines(
            of: steps,
            [
                .left("LAYER") { $0.layer.description }, .left("VERDICT") { $0.verdict.description },
                .left("REASON") { $0.reason },
            ]
        )
        return ["\(Printable.line(url)): \(bundle)@\(version), by \(Printable.line(route)); \(found)"] + table
            + (file?.immutable.map { ["immutable by \($0): browsers keep it for a year"] } ?? [])
            + rules.map { "rule \($0)" }
    }
}

extension Resolution.File {
    init(_ resource: Resource) {
        version = resource.asset.release.version.string
        path = resource.asset.path
        rule = resource.rule.rawValue
        byteCount = resource.contents.count
        mediaType = resource.mediaType
        sha256 = resource.asset.digest.hex
        immutable = resource.permanence?.word
    }
}

extension ResolutionTrace {
    /// The bundled file that is served, including the offline page.
    fileprivate var resource: Resource? {
        if case .found(let resource) = match.outcome { return resource }
        return response?.layer == .offlinePage ? match.offlinePage : nil
    }
}
