import HTTPTypes

/// The positions of the values of a request's deciding fields. Allocates nothing on the heap.
public struct DecidingFields: Sendable {
    @usableFromInline typealias Word = UInt64
    /// One word for each field: the start in the upper half and the end in the lower one. It counts only if the field's
    /// bit in `present` is set.
    @usableFromInline typealias Words = (
        Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
        Word,
        Word, Word
    )

    @usableFromInline var words: Words = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    /// A bit for each field that is present.
    @usableFromInline var present: UInt32 = 0

    /// No field.
    public init() {
        assert(MemoryLayout<Words>.size == DecidingField.allCases.count * MemoryLayout<Word>.size)
    }

    /// The position of a field's value; nil when the request doesn't have the field.
    @inlinable
    public subscript(field: DecidingField) -> Range<Int>? {
        get {
            guard contains(field) else { return nil }
            let word = withUnsafeBytes(of: words) { $0.load(fromByteOffset: Self.offset(of: field), as: Word.self) }
            return Int(word >> 32)..<Int(word & 0xFFFF_FFFF)
        }
        set {
            guard let newValue else {
                present &= ~(1 << UInt32(field.rawValue))
                return
            }
            present |= 1 << UInt32(field.rawValue)
            let word = Word(newValue.lowerBound) << 32 | Word(newValue.upperBound)
            withUnsafeMutableBytes(of: &words) { words in
                words.storeBytes(of: word, toByteOffset: Self.offset(of: field), as: Word.self)
            }
        }
    }

    /// Whether the request has the field.
    @inlinable
    public func contains(_ field: DecidingField) -> Bool { present >> UInt32(field.rawValue) & 1 != 0 }

    /// Whether the request has a condition or a range.
    @inlinable
    public var hasCondition: Bool { present & Self.conditions != 0 }

    /// Whether the request says whether a stored response may be used.
    @inlinable
    public var hasCacheDirective: Bool { present & Self.cacheDirectives != 0 }

    @usableFromInline static let conditions = mask(DecidingField.conditions)
    @usableFromInline static let cacheDirectives = mask(DecidingField.cacheDirectives)

    private static func mask(_ fields: [DecidingField]) -> UInt32 {
        fields.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
    }

    /// Calls `body` with each field that is present, in the order of the list.
    @inlinable
    public func forEach(_ body: (DecidingField, Range<Int>) -> Void) { forEach(present, body) }

    /// The same with the fields alone that select a representation: no conditions, no range, no cache directives.
    @inlinable
    public func forEachSelecting(_ body: (DecidingField, Range<Int>) -> Void) {
        forEach(present & ~(Self.conditions | Self.cacheDirectives), body)
    }

    @inlinable
    func forEach(_ wanted: UInt32, _ body: (DecidingField, Range<Int>) -> Void) {
        var rest = wanted
        while rest != 0 {
            let number = UInt8(truncatingIfNeeded: rest.trailingZeroBitCount)
            rest &= rest - 1
            if let field = DecidingField(rawValue: number), let place = self[field] { body(field, place) }
        }
    }

    @inlinable
    static func offset(of field: DecidingField) -> Int { Int(field.rawValue) * MemoryLayout<Word>.size }
}

/// A request field that can change a bundle's response. This is the only list: ready responses are kept by these fields,
/// and by those that ``ResponseStart/Reuse/selectors`` names.
public enum DecidingField: UInt8, CaseIterable, Sendable {
    case accept
    case acceptEncoding
    case accessControlRequestHeaders
    case accessControlRequestMethod
    case accessControlRequestPrivateNetwork
    case availableDictionary
    /// Decides only whether a stored response may be used (RFC 9111 §5.2.1).
    case cacheControl
    /// Only this server's cookies count, see `VersionCookies`.
    case cookie
    case ifMatch
    case ifModifiedSince
    case ifNoneMatch
    case ifRange
    case ifUnmodifiedSince
    case origin
    /// As `Cache-Control` (RFC 9111 §5.4).
    case pragma
    case range
    case secFetchDest
    case secFetchMode
    case secFetchSite
    case serviceWorker
    case via

    /// The field's name.
    public var name: HTTPField.Name {
        switch self {
        case .accept: .accept
        case .acceptEncoding: .acceptEncoding
        case .accessControlRequestHeaders: .accessControlRequestHeaders
        case .accessControlRequestMethod: .accessControlRequestMethod
        case .accessControlRequestPrivateNetwork: .accessControlRequestPrivateNetwork
        case .availableDictionary: .availableDictionary
        case .cacheControl: .cacheControl
        case .cookie: .cookie
        case .ifMatch: .ifMatch
        case .ifModifiedSince: .ifModifiedSince
        case .ifNoneMatch: .ifNoneMatch
        case .ifRange: .ifRange
        case .ifUnmodifiedSince: .ifUnmodifiedSince
        case .origin: .origin
        case .pragma: .pragma
        case .range: .range
        case .secFetchDest: .secFetchDest
        case .secFetchMode: .secFetchMode
        case .secFetchSite: .secFetchSite
        case .serviceWorker: .serviceWorker
        case .via: .via
        }
    }

    /// The preconditions (RFC 9110 §13.1.1 to §13.1.4).
    public static let preconditions: [DecidingField] = [.ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince]

    /// The conditions and the range: they decide how much of a representation is sent, not which one.
    public static let conditions = preconditions + [.ifRange, .range]

    /// The fields that decide whether a stored response may be used, and nothing else: a bundled file doesn't depend on
    /// them.
    public static let cacheDirectives: [DecidingField] = [.cacheControl, .pragma]
}
