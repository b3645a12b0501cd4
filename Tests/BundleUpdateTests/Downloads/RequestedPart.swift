import BundleStore
import BundleTesting
import HTTPTypes

@testable import HTTPCore

/// What a `Range` field asks for, and responses to it.
struct RequestedPart {
    let range: Range<Int>
    let isPart: Bool
    let length: Int

    init(_ field: String?, _ length: Int) {
        self.length = length
        let ends = field?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? []
        isPart = !ends.isEmpty
        range = isPart ? ends[0]..<(ends.count > 1 ? ends[1] + 1 : length) : 0..<length
    }

    func response(
        _ bytes: [UInt8],
        shiftedBy shift: Int = 0,
        length: Int? = nil,
        failure: BundleError? = nil
    ) -> OriginResponse {
        var fields = HTTPFields()
        if isPart {
            fields[.contentRange] =
                "bytes \(range.lowerBound + shift)-\(range.upperBound + shift - 1)/\(length ?? self.length)"
        }
        return OriginResponse(isPart ? .partialContent : .ok, fields, [bytes], failure: failure)
    }
}
