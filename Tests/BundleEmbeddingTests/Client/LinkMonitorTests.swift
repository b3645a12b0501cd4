// On Linux in the graph of Apple's systems alone; see scripts/check-apple.
#if os(Linux) && canImport(Network)
    import BundleEmbedding
    import BundleNetwork
    import BundleTesting
    import Network
    import Testing

    @Suite("The system's link")
    struct LinkMonitorTests {
        @Test(
            "is taken as it is told",
            arguments: [
                (NWPath(.satisfied), true, false), (NWPath(.satisfied, isExpensive: true), true, true),
                (NWPath(.satisfied, isConstrained: true), true, true), (NWPath(.requiresConnection), true, false),
                (NWPath(.unsatisfied), false, false),
            ]
        )
        func told(_ path: NWPath, isUp: Bool, isMetered: Bool) {
            let (link, monitor) = (NetworkLink(isMetered: !isMetered, isUp: !isUp), NWPathMonitor())
            let following = LinkMonitor(link, monitor)
            monitor.tell(path)
            #expect(link.isUp == isUp)
            #expect(link.isMetered == isMetered)
            withExtendedLifetime(following) {}
        }

        @Test("is no longer followed once the monitor is released")
        func ended() {
            let (link, monitor) = (NetworkLink(), NWPathMonitor())
            var following: LinkMonitor? = LinkMonitor(link, monitor)
            #expect(following != nil)
            following = nil
            #expect(monitor.isCancelled)
            monitor.tell(NWPath(.unsatisfied))
            #expect(link.isUp)
        }

        @Test("is that of a client, unless the app gives it one", arguments: [true, false])
        func client(followsSystem: Bool) async throws {
            try await withTemporaryDirectory { directory in
                let link = followsSystem ? nil : NetworkLink()
                let client = try ClientFixture(in: directory) { $0.link = link }.client
                // Without a link of its own, the client has started the latest monitor; otherwise it has started none. No other client
                // starts one meanwhile: scripts/check-apple runs one test at a time.
                NWPathMonitor.latest?.tell(NWPath(.satisfied, isExpensive: true))
                #expect(client.link.isMetered == followsSystem)
            }
        }
    }
#endif
