import BundleStore

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
        case .denied: "\(damage), and its origin may not be connected to; the log says why. \(advice)"
        case .invalidURL, nil: "\(damage). \(advice)"
        }
    }
}
