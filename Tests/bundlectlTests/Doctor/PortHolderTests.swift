import Testing

@testable import bundlectl

@Suite("The process that listens at a port")
struct PortHolderTests {
    private static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000 100 0 0 10 0
           1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000 20 4 30 10 -1
           2: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0000 100 0 0 10 0
        """

    @Test("has a socket in state listen", arguments: [(8080, ["4711"]), (80, ["4713"]), (443, [])])
    func sockets(_ port: Int, _ inodes: [String]) {
        #expect(PortHolder.sockets(listeningAt: port, in: Self.table) == inodes)
    }

    @Test("isn't there in a table that is none", arguments: ["", "\n", "a\nb c d", "x\n0: :: 0A"])
    func malformed(_ table: String) {
        #expect(PortHolder.sockets(listeningAt: 8080, in: table).isEmpty)
    }
}
