import BundleStore
import Foundation

/// Why a bundle isn't checked or updated now, though nothing is wrong with it: it takes place later by itself. It is the
/// bundle's outcome, and isn't recorded as a failure.
///
/// A value type; safe to share between threads. New cases may be added: have a default where you switch over it.
public enum UpdatePostponement: Error, Equatable, Sendable {
    /// The feed has failed, and is asked again at this time.
    case backingOff(until: Date)
    /// A release couldn't be fetched, and is tried again at this time.
    case releaseBackingOff(BundleVersion, until: Date)
    /// Another process is updating the bundle.
    case busy
    /// The link is metered, and this release isn't fetched there; see ``MeteredPolicy``.
    case meteredLink(BundleVersion)

    /// A word for programs.
    public var code: String {
        switch self {
        case .backingOff, .releaseBackingOff: "backingOff"
        case .busy: "busy"
        case .meteredLink: "meteredLink"
        }
    }
}

extension UpdatePostponement: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .backingOff: "its feed has failed, and isn't asked again yet"
        case .releaseBackingOff(let version, _): "\(version) couldn't be fetched, and isn't tried again yet"
        case .busy: "another process is updating it"
        case .meteredLink(let version): "\(version) is there, and isn't fetched while the link is metered"
        }
    }
}
