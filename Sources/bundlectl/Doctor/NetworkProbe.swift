import BundleNetwork
import BundleServing
import BundleStore
import BundleUpdate
import Foundation
import HTTPTypes

/// Asks feeds and origins, all at once.
struct NetworkProbe {
    /// What came of asking.
    enum Outcome: Sendable {
        /// A response, and by how many seconds this machine's clock was ahead of its date.
        case response(status: Int, offset: TimeInterval?)
        case failure(BundleError)
        /// A feed that is a file, and why it can't be read; nil when it can.
        case file(BundleError?)
    }

    /// How long each step may take: connecting, the first byte.
    static let limit: Duration = .seconds(5)

    let transport: any OriginTransport
    let credentials: FeedCredentials
    let now: @Sendable () -> Date

    /// In the order of the targets.
    func ask(_ targets: [NetworkTarget]) async -> [(NetworkTarget, Outcome)] {
        await withTaskGroup(of: (Int, Outcome).self) { group in
            for (number, target) in targets.enumerated() {
                group.addTask { (number, await outcome(of: target)) }
            }
            var outcomes: [Int: Outcome] = [:]
            for await (number, outcome) in group { outcomes[number] = outcome }
            return targets.enumerated().compactMap { number, target in outcomes[number].map { (target, $0) } }
        }
    }

    private static func obstacle(to path: String) -> BundleError? {
        do throws(BundleError) {
            _ = try InputDocument(path, atMost: 1)
            return nil
        } catch {
            return error
        }
    }

    private func outcome(of target: NetworkTarget) async -> Outcome {
        let url = target.url
        if let file = FileURL(url) { return .file(Self.obstacle(to: file.path)) }
        // A feed's server may respond to GET alone; of the content nothing is read.
        var fields: HTTPFields = [.userAgent: "bundlectl/\(ProductVersion.string)"]
        if target.kind == .feed, let feed = OriginTarget(url.absoluteString) {
            fields[.authorization] = credentials.credential(for: feed)?.fieldValue
        }
        let request = HTTPRequest(target.kind == .feed ? .get : .head, url, fields)
        do {
            let response = try await transport.send(request)
            let date = response.head.headerFields[.date].flatMap { HTTPDate($0)?.date }
            return .response(status: response.head.status.code, offset: date.map { now().timeIntervalSince($0) })
        } catch {
            return .failure(error as? BundleError ?? BundleError(.networkUnavailable, "\(error)", cause: error))
        }
    }
}
