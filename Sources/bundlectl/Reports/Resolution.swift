import BundleNetwork
import BundleServing
import BundleStore

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
        /// Why browsers may keep it without asking again; nil when they mayn't.
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
        var table = Table([("LAYER", .left), ("VERDICT", .left), ("REASON", .left)])
        for step in steps { table.add([step.layer.description, step.verdict.description, step.reason]) }
        return ["\(Printable.line(url)): \(bundle)@\(version), by \(Printable.line(route)); \(found)"] + table.lines
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
