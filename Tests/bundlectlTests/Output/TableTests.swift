import Testing

@testable import bundlectl

struct TableTests {
    @Test("columns are as wide as their widest cell, and lines end without spaces")
    func alignment() {
        let rows = [["shop", "53 KB", "active"], ["a-longer-name", "1.2 MB", ""]]
        let lines = Table.lines(
            of: rows,
            [.left("NAME") { $0[0] }, .right("SIZE") { $0[1] }, .left("STATE") { $0[2] }]
        )
        #expect(
            lines == [
                "NAME             SIZE  STATE",
                "shop            53 KB  active",
                "a-longer-name  1.2 MB",
            ]
        )
    }

    @Test("labels are aligned, and a label without a value is left out")
    func keyValueList() {
        let lines = KeyValueList.lines([("name", "shop"), ("offline page", nil), ("digest", "4f")])
        #expect(lines == ["name    shop", "digest  4f"])
    }
}
