import Testing

@testable import bundlectl

struct TableTests {
    @Test("columns are as wide as their widest cell, and lines end without spaces")
    func alignment() {
        var table = Table([("NAME", .left), ("SIZE", .right), ("STATE", .left)])
        table.add(["shop", "53 KB", "active"])
        table.add(["a-longer-name", "1.2 MB", ""])
        #expect(
            table.lines == [
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
