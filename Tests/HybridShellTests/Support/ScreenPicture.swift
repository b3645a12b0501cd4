import BundleTesting
import Foundation

/// What is on a screen, as the X server has it: an xwd file with 32 bits a pixel.
struct ScreenPicture {
    /// A colour, such as `0x1a5fb4`.
    typealias Color = UInt32

    struct Failure: Error {
        let message: String
    }

    let width: Int
    let height: Int
    /// In rows from the top.
    let pixels: [Color]

    /// Reads the present state of a screen.
    init(of display: Display) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: display.picture))
        // The header is a list of 32-bit numbers, the highest byte first; see XWDFile.h.
        func number(_ index: Int) -> Int { data[(4 * index)..<(4 * index + 4)].reduce(0) { $0 << 8 | Int($1) } }
        guard data.count > 100, number(1) == 7, number(7) == 0, number(11) == 32 else {
            throw Failure(message: "\(display.picture) isn't of the expected format")
        }
        let start = number(0) + 12 * number(19)
        let (width, height, rowByteCount) = (number(4), number(5), number(12))
        guard data.count >= start + height * rowByteCount else { throw Failure(message: "the picture is cut") }
        (self.width, self.height) = (width, height)
        pixels = data.withUnsafeBytes { bytes in
            (0..<(width * height)).map { index in
                let offset = start + index / width * rowByteCount + index % width * 4
                return Color(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Color.self)) & 0xff_ffff
            }
        }
    }

    /// How many pixels of a part of the screen have a colour.
    func count(of color: Color, x columns: Range<Int>, y rows: Range<Int>) -> Int {
        rows.reduce(0) { sum, row in
            sum + pixels[(row * width + columns.lowerBound)..<(row * width + columns.upperBound)].count { $0 == color }
        }
    }
}
