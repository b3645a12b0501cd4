import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

/// Reports scripts and styles that the entry page of a release names, and that nobody has. Thread-safe.
final class MissingParts: Sendable {
    private static let destinations: Set<String> = ["script", "style"]

    private let verdicts: PageVerdicts
    private let resolver: LiveResolver
    /// What was reported by this process: releases, and paths of them.
    private let reported = Mutex<[String: Set<String>]>([:])

    init(_ store: BundleStore, _ resolver: LiveResolver) {
        verdicts = PageVerdicts(store: store)
        self.resolver = resolver
    }

    /// The same, which reports what it doesn't find.
    func noting(_ start: ResponseStart, of request: HTTPRequest) -> ResponseStart {
        guard NavigationRequest.destination(of: request).map(Self.destinations.contains) == true,
            request.headerFields.contains(.referer)
        else { return start }
        switch start {
        case .complete(let response, let source, _):
            note(response.head, source, request)
            return start
        case .waiting(let rest):
            return .waiting { client in
                let response = await rest(client)
                self.note(response.head, response.source, request)
                return response
            }
        }
    }

    private func note(_ head: HTTPResponse, _ source: ResponseSource, _ request: HTTPRequest) {
        guard [.notFound, .gatewayTimeout].contains(head.status), let release = source.release,
            let path = request.path?.prefix(while: { $0 != "?" }), isFromEntryPage(request, of: release),
            isNew(String(path), of: release)
        else { return }
        Task(executorPreference: BlockingExecutor()) { [verdicts] in
            verdicts.report("missing: \(path) (\(head.status.code))", of: release.name, release.version)
        }
    }

    private func isFromEntryPage(_ request: HTTPRequest, of release: ReleaseName) -> Bool {
        guard let page = request.headerFields[.referer].flatMap(RequestTarget.init(url:)),
            page.authority == RequestTarget("/", host: request.authority)?.authority,
            let received = RequestTarget(page.path, host: request.authority),
            let match = resolver.current.match(received, isNavigation: true)
        else { return false }
        return match.release.releaseName == release && match.bundledFile == match.release.manifest.entry.string
    }

    private func isNew(_ path: String, of release: ReleaseName) -> Bool {
        reported.withLock { reported in
            let key = release.description
            guard reported[key, default: []].count < PageVerdicts.maximumUnprovenReportCount else { return false }
            return reported[key, default: []].insert(path).inserted
        }
    }
}
