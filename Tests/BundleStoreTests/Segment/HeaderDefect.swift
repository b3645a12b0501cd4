/// A defect of the header or the length of a segment, for which readers refuse all of it.
enum HeaderDefect: CaseIterable {
    case byteAppended, byteCut, otherMagic, newerVersion, otherSize

    func apply(_ bytes: inout [UInt8]) {
        switch self {
        case .byteAppended: bytes.append(0)
        case .byteCut: bytes.removeLast()
        case .otherMagic: bytes[0] ^= 1
        case .newerVersion: bytes[8] += 1
        case .otherSize: bytes[16] ^= 1
        }
    }
}
