/// The head of an MPEG audio layer III frame (ISO/IEC 11172-3 §2.4.1.3).
///
/// Identifies an MP3 stream without an ID3 tag (WHATWG MIME Sniffing §6.2.3). The numbers follow the ISO standard,
/// because the text of §6.2.3 mixes up some of its conditions (https://github.com/whatwg/mimesniff/issues/70).
struct MP3Frame {
    /// The whole frame's size in bytes.
    let byteCount: Int

    /// Whether a frame starts at the first byte and another one directly after it: four bytes alone aren't conclusive.
    static func startsStream(_ header: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let first = MP3Frame(header) else { return false }
        return MP3Frame(header.dropFirst(first.byteCount)) != nil
    }

    /// Reads the four bytes of a frame's header. Returns nil unless they are of layer III with a known bit and sample
    /// rate.
    private init?(_ bytes: Slice<UnsafeRawBufferPointer>) {
        guard bytes.count >= 4 else { return nil }
        let head = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let (sync, layer) = (head >> 21, head >> 17 & 3)
        guard sync == 0x7FF, layer == 1, let version = Version(rawValue: head >> 19 & 3) else { return nil }
        let rates = version == .mpeg1 ? Self.kilobits : Self.lowKilobits
        let (bitIndex, sampleIndex) = (Int(head >> 12 & 15), Int(head >> 10 & 3))
        guard rates.indices.contains(bitIndex), Self.sampleRates.indices.contains(sampleIndex) else { return nil }
        let samplesPerByte = version == .mpeg1 ? 144 : 72
        let sampleRate = Self.sampleRates[sampleIndex] / version.sampleRateDivisor
        byteCount = rates[bitIndex] * 1_000 * samplesPerByte / sampleRate + Int(head >> 9 & 1)
        // Index 0 is the "free" format, in which the size of a frame isn't known.
        guard bitIndex > 0 else { return nil }
    }

    private enum Version: UInt32 {
        case mpeg25 = 0
        case mpeg2 = 2
        case mpeg1 = 3

        var sampleRateDivisor: Int {
            switch self {
            case .mpeg1: 1
            case .mpeg2: 2
            case .mpeg25: 4
            }
        }
    }

    private static let kilobits = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let lowKilobits = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    private static let sampleRates = [44_100, 48_000, 32_000]
}
