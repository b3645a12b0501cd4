import BundleEmbedding
import BundleInstall
import BundleNetwork
import BundleServing
import BundleStore
import BundleUsage
import CBundle
import Foundation

/// See `offline_bundles.h`.
@c @implementation
public func ob_bundles(_ client: OpaquePointer) -> UnsafeMutablePointer<CChar> {
    CText.copy(Handle<ClientHandle>.object(client).client.store.snapshot.document.text)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_statistics(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<CChar>? {
    let client = Handle<ClientHandle>.object(client).client
    return reporting(error) {
        let name = try bundle.map { try CArgument.name($0) }
        return CText.copy(of: try Waiting.run { _ in try await client.statistics(of: name) })
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_history(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<CChar>? {
    let client = Handle<ClientHandle>.object(client).client
    return reporting(error) {
        let name = try bundle.map { try CArgument.name($0) }
        let events = try client.history(of: name).map(\.document)
        return CText.copy(JSONValue.members([("events", .array(events))]).text)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_traffic(_ client: OpaquePointer) -> UnsafeMutablePointer<CChar> {
    let traffic = Handle<ClientHandle>.object(client).client.traffic
    return CText.copy(JSONValue.members([("hosts", .array(traffic.map(\.document)))]).text)
}

extension JSONValue {
    /// An object of the members that have a value.
    static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
        .object(JSONObject(members.compactMap { key, value in value.map { JSONObject.Member(key, $0) } }))
    }

    static func count(_ number: some BinaryInteger) -> JSONValue { .number(JSONNumber(Int64(clamping: number))) }

    static func time(_ date: Date) -> JSONValue {
        .count(Int64(exactly: date.timeIntervalSince1970.rounded()) ?? 0)
    }
}

extension InstallReport {
    /// The document of `ob_install`.
    var document: JSONValue {
        let outcome =
            switch outcome {
            case .installed: "installed"
            case .activated: "activated"
            case .unchanged: "unchanged"
            }
        return .members([
            ("name", .string(name.string)), ("version", .string(version.string)), ("outcome", .string(outcome)),
            ("fileCount", .count(fileCount)), ("byteCount", .count(byteCount)), ("newByteCount", .count(newByteCount)),
            ("warnings", .array(warnings.map(JSONValue.string))),
        ])
    }
}

extension UpdateCheck {
    /// The document of `ob_check`.
    var document: JSONValue {
        .members([
            ("name", .string(name.string)),
            ("state", .string(available == nil ? "upToDate" : "updateAvailable")),
            ("active", local.map { .string($0.string) }),
            ("highest", highest.map { .string($0.string) }),
            ("available", available.map { .string($0.version.string) }),
            ("byteCount", available.map { .count($0.size) }),
            ("held", held.map { .string($0.string) }),
        ])
    }
}

extension UpdateResult {
    /// The document of `ob_update`.
    var document: JSONValue {
        switch self {
        case .upToDate(let check), .available(let check):
            .members([
                ("name", .string(check.name.string)), ("outcome", .string("upToDate")),
                ("from", check.local.map { .string($0.string) }), ("to", check.local.map { .string($0.string) }),
            ])
        case .updated(let check, let report, _): document("updated", check, report)
        case .pending(let check, let report, _): document("pending", check, report)
        }
    }

    private func document(_ outcome: String, _ check: UpdateCheck, _ report: InstallReport) -> JSONValue {
        .members([
            ("name", .string(check.name.string)), ("outcome", .string(outcome)),
            ("from", check.local.map { .string($0.string) }), ("to", .string(report.version.string)),
            ("newByteCount", .count(report.newByteCount)),
        ])
    }
}

extension UpdateEvent {
    /// A part of the document of `ob_history`.
    var document: JSONValue {
        .members([
            ("number", .count(number)), ("kind", .string(kind.rawValue)), ("name", .string(bundle.string)),
            ("date", .time(date)), ("version", version.map { .string($0.string) }),
            ("previous", previous.map { .string($0.string) }), ("detail", detail.map { .string($0) }),
        ])
    }
}

extension StoreSnapshot {
    /// The document of `ob_bundles`.
    var document: JSONValue {
        .members([("bundles", .array(sortedBundles.map(\.document)))])
    }
}

extension InstalledBundle {
    fileprivate var document: JSONValue {
        let all = damaged.filter { $0.state == .active } + releases + damaged.filter { $0.state != .active }
        return .members([
            ("name", .string(name.string)), ("active", activeVersion.map { .string($0.string) }),
            ("versions", .array(all.map(\.document))),
        ])
    }
}

extension Release {
    fileprivate var document: JSONValue {
        .members([
            ("version", .string(version.string)), ("state", .string(state.rawValue)), ("isPinned", .bool(isPinned)),
            ("isDamaged", .bool(!isReadable)), ("fileCount", .count(fileCount)), ("byteCount", .count(byteCount)),
            ("installedAt", .time(installedAt)), ("activatedAt", activatedAt.map(JSONValue.time)),
        ])
    }
}

extension HostTraffic {
    /// A host in the document of `ob_traffic`.
    var document: JSONValue {
        .members([
            ("host", .string(host)), ("requestCount", .count(requestCount)), ("sentByteCount", .count(sentByteCount)),
            ("receivedByteCount", .count(receivedByteCount)),
        ])
    }
}
