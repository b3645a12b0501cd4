import BundleStore

/// The result of `history`.
struct EventList: Report {
    let events: [EventSummary]

    init(_ events: [UpdateEvent]) {
        self.events = events.map(EventSummary.init)
    }

    var lines: [String] {
        guard !events.isEmpty else { return ["nothing has happened yet"] }
        var table = Table([
            ("WHEN", .left), ("NAME", .left), ("EVENT", .left), ("VERSION", .left), ("DETAILS", .left),
        ])
        for event in events {
            table.add([
                Timestamp.text(event.date), event.name, event.kind, event.version ?? "none", event.remark,
            ])
        }
        return table.lines
    }
}
