import BundleStore
import BundleTransport
import Foundation

/// What asking feeds and origins has told. Pure.
enum NetworkCheck {
    static func finding(_ target: NetworkTarget, _ outcome: NetworkProbe.Outcome) -> Finding {
        let name = "\(target.kind.rawValue) \(Printable.text(target.url.absoluteString))"
        switch outcome {
        case .response(let status, _): return response(target.kind, name, status)
        case .file(nil): return Finding(.ok, .network, "\(name) is there")
        case .file(let obstacle?):
            // A stick is connected when there is something new on it.
            return Finding(.warning, .network, "\(name): \(obstacle.problem)", remedy: "connect its medium")
        case .failure(let error):
            if let (problem, remedy) = error.certificateFault.map(explanation) {
                return Finding(state(target.kind), .network, "\(name): its certificate \(problem)", remedy: remedy)
            }
            return Finding(
                state(target.kind),
                .network,
                "\(name): \(error.problem)",
                remedy: error.remedy.map(Advice.text)
            )
        }
    }

    /// What is said of those that aren't asked.
    static func rest(_ count: Int) -> [Finding] {
        count > 0 ? [Finding(.warning, .network, "\(count) more feeds and origins weren't asked")] : []
    }

    /// By how many seconds this machine's clock is ahead of each host that has told its time.
    static func offsets(_ results: [(NetworkTarget, NetworkProbe.Outcome)]) -> [(host: String, seconds: TimeInterval)] {
        results.compactMap { target, outcome in
            guard case .response(_, let offset?) = outcome else { return nil }
            return (target.url.host() ?? "", offset)
        }
    }

    /// Without a feed there are no updates; what an origin lacks is in the bundle or the cache.
    private static func state(_ kind: NetworkTarget.Kind) -> Finding.State { kind == .feed ? .error : .warning }

    private static func response(_ kind: NetworkTarget.Kind, _ name: String, _ status: Int) -> Finding {
        switch (kind, status) {
        case (_, 500...):
            Finding(
                state(kind),
                .network,
                "\(name) responds with \(status)",
                remedy: "look at its server, or try again later"
            )
        case (.feed, 401):
            Finding(
                .error,
                .network,
                "\(name) responds with \(status)",
                remedy: Advice.text(.giveFeedCredential)
            )
        case (.feed, 400...):
            Finding(
                .error,
                .network,
                "\(name) responds with \(status)",
                remedy: "correct it in the manifest, or name another: “bundlectl install FEED_URL”"
            )
        default: Finding(.ok, .network, "\(name) responds with \(status)")
        }
    }

    private static func explanation(of fault: CertificateFault) -> (String, String) {
        switch fault {
        case .expired(let date):
            ("has expired, \(Timestamp.text(date))", "have it renewed there, and look at the clock of this machine")
        case .notYetValid(let date):
            ("isn't valid before \(Timestamp.text(date))", "set the clock of this machine: “timedatectl set-ntp true”")
        case .otherName:
            ("is for another host", "correct the address, or have the host's own certificate installed there")
        case .unknownIssuer(let issuer):
            (
                "has an issuer that this machine doesn't trust" + (issuer.map { ": \($0)" } ?? ""),
                "if the issuer is your organisation's, name its certificate with --ca-certificate, or add it to the system's: "
                    + "/usr/local/share/ca-certificates and “update-ca-certificates”"
            )
        }
    }
}
