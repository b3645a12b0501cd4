import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking

    /// What Foundation on Linux keeps to itself, and what a `URLProtocol` can't be right without there: the session of a task,
    /// the queue that its client's state belongs to, the content of an upload, and whether the task has a completion handler,
    /// which gets the last piece of a body that is delivered in pieces.
    ///
    /// Read by reflection, on the session's queue, each time that one is asked for, which takes microseconds. The names are those of
    /// Foundation in Swift 6.3.1. Where another Foundation has others, each is nil; what follows from that is said at its use, and tests would tell.
    struct TaskInternals {
        /// The content of an upload task.
        enum Content {
            case data(Data)
            case file(URL)
            case stream(InputStream)
        }

        private let properties: Mirror.Children?
        private let identifier: Int

        /// Where the properties are in the class: the others aren't read, which other threads may be writing.
        private static let layout: [String: Int] = {
            // A task that nobody else has.
            let children = Mirror(reflecting: URLSessionTask()).children
            let names = children.enumerated().compactMap { index, child in child.label.map { ($0, index) } }
            return Dictionary(names, uniquingKeysWith: { first, _ in first })
        }()

        init(_ task: URLSessionTask) {
            identifier = task.taskIdentifier
            var mirror: Mirror? = Mirror(reflecting: task)
            while let some = mirror, some.subjectType != URLSessionTask.self { mirror = some.superclassMirror }
            properties = mirror?.children
        }

        private func property(_ name: String) -> Any? {
            guard let properties, let offset = Self.layout[name], offset < properties.count else { return nil }
            let property = properties[properties.index(properties.startIndex, offsetBy: offset)]
            return property.label == name ? property.value : nil
        }

        var session: URLSession? { property("session") as? URLSession }

        var queue: DispatchQueue? { property("workQueue") as? DispatchQueue }

        private var body: Any? { property("knownBody") }

        /// The content that isn't in the request; nil when there is none, or it can't be told.
        var content: Content? {
            guard let body else { return nil }
            for value in Self.payloads(of: body) {
                switch value {
                case let data as DispatchData: return .data(Data(data))
                case let data as Data: return .data(data)
                case let file as URL: return .file(file)
                case let stream as InputStream: return .stream(stream)
                default: continue
                }
            }
            return nil
        }

        /// Whether the content of an upload can be told.
        var knowsContent: Bool { body != nil }

        /// Whether a delegate gets the pieces of the body; false when a completion handler gets the whole, and when it can't
        /// be told. To be called on ``queue``.
        var deliversPieces: Bool {
            guard let session, let registry = Mirror(reflecting: session).descendant("taskRegistry"),
                let behaviours = Mirror(reflecting: registry).descendant("behaviours") as? [Int: Any],
                let behaviour = behaviours[identifier]
            else { return false }
            return String(describing: behaviour) == "callDelegate"
        }

        /// What an enumeration's case holds, through optionals.
        private static func payloads(of value: Any) -> [Any] {
            let children = Mirror(reflecting: value).children.map(\.value)
            return children
                + children.flatMap { child in
                    Mirror(reflecting: child).displayStyle == .enum ? payloads(of: child) : []
                }
        }
    }
#endif
