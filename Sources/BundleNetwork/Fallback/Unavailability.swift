import BundleServing
import BundleStore

/// Why there is no response for what a bundle lacks.
enum Unavailability: Sendable {
    /// The URL isn't one that an origin could have.
    case invalidURL
    /// The request is `only-if-cached`, and nothing stored satisfies it.
    case onlyIfCached
    /// A network rule lets no origin be asked, and nothing stored may be used.
    case ruledOut
    /// The network is switched off.
    case offline(hasCopy: Bool)
    /// The network didn't respond, and why.
    case noResponse(BundleError, hasCopy: Bool)
    /// The origin may not be connected to. The log names its address; the response doesn't.
    case denied(hasCopy: Bool)

    /// For an error of the network.
    init(_ error: BundleError, hasCopy: Bool) {
        self = error.cause is OriginDenial ? .denied(hasCopy: hasCopy) : .noResponse(error, hasCopy: hasCopy)
    }

    /// The detail for Cache-Status.
    var detail: String {
        if case .denied = self { "origin denied" } else { "no response" }
    }

    /// The same for a surface that has errors of its own.
    var failure: ResponseSource.Failure {
        switch self {
        case .invalidURL: .invalidURL
        case .onlyIfCached, .ruledOut: .onlyIfCached
        case .offline: .offline
        case .noResponse(let error, _): .noResponse(error)
        case .denied: .denied
        }
    }

    /// A sentence for the user.
    func explanation(for url: String) -> String {
        let url = Printable.text(url)
        return switch self {
        case .invalidURL: "\(url) isn't a URL that an origin could have."
        case .onlyIfCached:
            "\(url) isn't bundled, and nothing is cached that satisfies the request, which allows only stored responses."
        case .ruledOut:
            "\(url) isn't bundled, nothing is cached that may be used, and a network rule lets no origin be asked."
        case .offline(let hasCopy): "\(url) \(Self.lack(hasCopy)), and the network is switched off."
        case .noResponse(let error, let hasCopy):
            "\(url) \(Self.lack(hasCopy)), and the network didn't respond: \(error.message)"
        case .denied(let hasCopy):
            "This \(Self.lack(hasCopy)), and its origin may not be connected to; the log says why."
        }
    }

    private static func lack(_ hasCopy: Bool) -> String {
        hasCopy
            ? "isn't bundled, what is cached can't be used without asking its origin" : "is neither bundled nor cached"
    }
}

/// A file of a bundle whose bytes can no longer be read.
struct DamagedFile: Sendable {
    /// What to do about it.
    static let advice = "The store can be repaired."

    /// The file's bundle, version and path, for messages.
    let label: String

    /// - Parameter asset: Nil for a release of which nothing can be read.
    init(_ asset: Asset?, of release: Release) {
        let release = asset?.release ?? release
        let path = asset.map { " " + Printable.text($0.path) } ?? ""
        label = "\(release.name)@\(release.version)\(path)"
    }

    /// A sentence for a person.
    ///
    /// - Parameter cause: Why the network couldn't supply it; nil when there is no origin to ask.
    func explanation(_ cause: Unavailability?) -> String {
        let damage = "\(label) is damaged in the store"
        let advice = Self.advice
        return switch cause {
        case .offline: "\(damage), and the network is switched off. \(advice)"
        case .noResponse(let error, _): "\(damage), and the network didn't respond: \(error.message). \(advice)"
        case .onlyIfCached: "\(damage), and the request allows only stored responses. \(advice)"
        case .ruledOut: "\(damage), and a network rule lets no origin be asked. \(advice)"
        case .denied: "\(damage), and its origin may not be connected to; the log says why. \(advice)"
        case .invalidURL, nil: "\(damage). \(advice)"
        }
    }
}
