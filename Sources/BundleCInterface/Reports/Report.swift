import BundleStore
public import CBundle
import Synchronization

/// See `offline_bundles.h`.
@c @implementation
public func ob_report_count(_ report: OpaquePointer) -> Int { Handle<ReportHandle>.object(report).results?.count ?? 0 }

/// See `offline_bundles.h`.
@c @implementation
public func ob_report_json(_ report: OpaquePointer) -> UnsafePointer<CChar> { Handle<ReportHandle>.object(report).json }

/// See `offline_bundles.h`.
@c @implementation
public func ob_report_free(_ report: OpaquePointer?) { Handle<ReportHandle>.release(report) }

/// See `offline_bundles.h`.
@c @implementation
public func ob_report_install(_ report: OpaquePointer, _ index: Int) -> UnsafePointer<ob_install_result>? {
    Handle<ReportHandle>.object(report).result(at: index)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_report_check(_ report: OpaquePointer, _ index: Int) -> UnsafePointer<ob_check_result>? {
    Handle<ReportHandle>.object(report).result(at: index)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_report_update(_ report: OpaquePointer, _ index: Int) -> UnsafePointer<ob_update_result>? {
    Handle<ReportHandle>.object(report).result(at: index)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_report_release(_ report: OpaquePointer, _ index: Int) -> UnsafePointer<ob_release_result>? {
    Handle<ReportHandle>.object(report).result(at: index)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_report_damage(_ report: OpaquePointer, _ index: Int) -> UnsafePointer<ob_damage_result>? {
    Handle<ReportHandle>.object(report).result(at: index)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_report_quota(_ report: OpaquePointer, _ index: Int) -> UnsafePointer<ob_quota_result>? {
    Handle<ReportHandle>.object(report).result(at: index)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_report_prune(_ report: OpaquePointer, _ index: Int) -> UnsafePointer<ob_prune_result>? {
    Handle<ReportHandle>.object(report).result(at: index)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_report_precache(_ report: OpaquePointer, _ index: Int) -> UnsafePointer<ob_precache_result>? {
    Handle<ReportHandle>.object(report).result(at: index)
}

/// What an `ob_report` is. Thread-safe.
final class ReportHandle: Sendable {
    /// Nil for a report that is a document alone.
    let results: CResults?
    private let makeDocument: @Sendable () -> String
    private let document = Mutex<CText?>(nil)

    /// - Parameter report: What the document has.
    init(_ report: some Encodable & Sendable, _ results: CResults? = nil) {
        self.results = results
        makeDocument = { JSONDocument.line(of: report, dates: .seconds) }
    }

    /// Gives C a report, if it has a place for it.
    static func store(_ report: @autoclosure () -> ReportHandle, at place: UnsafeMutablePointer<OpaquePointer?>?) {
        if let place { place.pointee = Handle.make(report()) }
    }

    /// The document, which lives as long as the handle.
    var json: UnsafePointer<CChar> {
        document.withLock { document in
            if let document { return document.pointer }
            let text = CText(makeDocument())
            document = text
            return text.pointer
        }
    }

    /// A result, which lives as long as the handle; nil when there is none of this kind with this number.
    func result<Structure: BitwiseCopyable>(at index: Int) -> UnsafePointer<Structure>? {
        results?.structure(at: index)
    }
}

/// Structures for C, and the texts that they point to.
///
/// Unchecked: nothing is written to after the initializer.
final class CResults: @unchecked Sendable {
    /// Keeps texts for the structures.
    struct Texts {
        fileprivate var texts: [CText] = []

        /// A text that lives as long as the structures.
        mutating func add(_ text: String) -> UnsafePointer<CChar> {
            let text = CText(text)
            texts.append(text)
            return text.pointer
        }

        /// Nil for nil.
        mutating func add(_ text: String?) -> UnsafePointer<CChar>? { text.map { add($0) as UnsafePointer<CChar> } }
    }

    /// The number of structures.
    let count: Int
    private let memory: UnsafeMutableRawPointer
    private let type: ObjectIdentifier
    private let texts: Texts

    /// - Parameter make: Makes the structure of an item.
    init<Item, Structure: BitwiseCopyable>(_ items: [Item], _ make: (Item, inout Texts) -> Structure) {
        var texts = Texts()
        let structures = UnsafeMutableBufferPointer<Structure>.allocate(capacity: items.count)
        for (index, item) in items.enumerated() { structures.initializeElement(at: index, to: make(item, &texts)) }
        memory = UnsafeMutableRawPointer(structures.baseAddress ?? .allocate(capacity: 1))
        (count, type, self.texts) = (items.count, ObjectIdentifier(Structure.self), texts)
    }

    deinit {
        memory.deallocate()
    }

    /// Nil when there is none of this kind with this number.
    func structure<Structure: BitwiseCopyable>(at index: Int) -> UnsafePointer<Structure>? {
        guard ObjectIdentifier(Structure.self) == type, (0..<count).contains(index) else { return nil }
        return UnsafePointer(memory.assumingMemoryBound(to: Structure.self) + index)
    }
}
