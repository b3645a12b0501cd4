import BundleEmbedding
import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

/// What an `ob_response` is. Thread-safe.
final class ResponseHandle: Sendable {
    private struct Texts {
        let fields: [(name: CText, value: CText)]
        let source: CText
        let bundle: CText?
        let version: CText?
    }

    let head: HTTPResponse
    private let source: ResponseSource
    private let body: ResponseBody
    private let texts = Mutex<Texts?>(nil)
    private let joinedBody = Mutex<ByteSlice?>(nil)

    init(_ head: HTTPResponse, _ source: ResponseSource, _ body: ResponseBody = .empty) {
        self.head = head
        self.source = source
        self.body = body
    }

    /// Whether some bytes of the body could not be read.
    var hasFaulted: Bool { body.hasFaulted }

    /// The number of fields.
    var fieldCount: Int { head.headerFields.count }

    /// The whole body, which lives as long as the handle.
    var bytes: ByteSlice {
        if body.parts.count == 1 { return body.parts[0] }
        return joinedBody.withLock { joined in
            if let joined { return joined }
            let slice = ByteSlice(copying: body.array)
            joined = slice
            return slice
        }
    }

    /// The name and the value of a field; nil when there is none with this number.
    func field(at index: Int) -> (name: UnsafePointer<CChar>, value: UnsafePointer<CChar>)? {
        withTexts { texts in
            guard texts.fields.indices.contains(index) else { return nil }
            return (texts.fields[index].name.pointer, texts.fields[index].value.pointer)
        }
    }

    /// The value of the first field with this name.
    func value(of name: HTTPField.Name) -> UnsafePointer<CChar>? {
        head.headerFields.firstIndex { $0.name == name }.flatMap { field(at: $0)?.value }
    }

    /// The layer's name.
    var layer: UnsafePointer<CChar> { withTexts { $0.source.pointer } }

    /// The name of the bundle that covers the URL.
    var bundle: UnsafePointer<CChar>? { withTexts { $0.bundle?.pointer } }

    /// The bundle's version.
    var version: UnsafePointer<CChar>? { withTexts { $0.version?.pointer } }

    /// Makes the texts on first use.
    private func withTexts<Result>(_ body: (Texts) -> Result) -> Result {
        texts.withLock { texts in
            if let texts { return body(texts) }
            let release = source.release
            let made = Texts(
                fields: head.headerFields.map { (CText($0.name.rawName), CText($0.value)) },
                source: CText(source.layer.rawValue),
                bundle: release.map { CText($0.name.string) },
                version: release.map { CText($0.version.string) }
            )
            texts = made
            return body(made)
        }
    }
}
