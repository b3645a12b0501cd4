/// Text that equals, and is ordered among, others by its bytes in UTF-8, which is by code points too.
///
/// `String` takes canonically equivalent texts for equal, such as “é” as one character and as a letter with an accent. Names that
/// another program compares, and that are signed or stored under this spelling, are different ones then. A value type; safe to
/// share between threads.
package struct ExactString: Sendable {
    /// The text.
    package let string: String

    /// Wraps `string` as it is.
    package init(_ string: String) {
        self.string = string
    }
}

extension ExactString: Hashable {
    /// Whether both have the same bytes.
    package static func == (left: ExactString, right: ExactString) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8)
    }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension ExactString: Comparable {
    /// Orders by bytes.
    package static func < (left: ExactString, right: ExactString) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension ExactString: ExpressibleByStringLiteral {
    /// Wraps a literal.
    package init(stringLiteral string: String) {
        self.string = string
    }
}

extension ExactString: CustomStringConvertible {
    /// The same as ``string``.
    package var description: String { string }
}
