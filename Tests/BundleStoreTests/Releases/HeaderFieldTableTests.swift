import Testing

@testable import BundleStore

@Suite("The header fields of a release's files")
struct HeaderFieldTableTests {
    private static func manifest(_ headers: String) throws -> BundleManifest {
        let json = #"{"name": "shop", "version": "1", "origins": [], "headers": {\#(headers)}}"#
        return try BundleManifest.parse(stored: Array(json.utf8))
    }

    @Test("are determined once for each file, for any number of patterns")
    func once() throws {
        let worst = (0..<6_000).map { #""/**/*a*\#($0)*/**": {"X-\#($0)": "1"}"# }.joined(separator: ", ")
        let table = HeaderFieldTable(try Self.manifest(worst + #", "/**": {"X": "2"}"#))
        var askedCount = 0
        for number in [0, 1, 0, 1, 0] {
            let fields = table.fields(ofEntry: number) {
                askedCount += 1
                return "b/\(number).js"
            }
            #expect(fields.map(\.name) == ["X"])
        }
        #expect(askedCount == 2)
    }

    @Test("are right for more files and rules than are remembered")
    func overflow() throws {
        let fields = (0..<270).map { #""Y\#($0)":"""# }.joined(separator: ",")
        let rules = (0..<270).map { #""/**/*.\#($0).js":{"X":"\#($0)",\#(fields)}"# }.joined(separator: ",")
        let table = HeaderFieldTable(try Self.manifest(rules))
        for round in 0..<2 {
            for number in 0..<270 {
                let found = table.fields(ofEntry: number) { "a.\(number).js" }
                #expect(found.first { $0.name == "X" }?.value == "\(number)", "\(round)")
                #expect(found.count == 271)
            }
        }
    }
}
