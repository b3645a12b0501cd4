import ArgumentParser

/// How often a clock runs updates: a number of minutes that divides an hour, of hours that divides a day, or a day, which
/// systemd's calendar and cron can both express.
struct UpdateInterval: ExpressibleByArgument, Equatable {
    let minutes: Int

    init?(argument: String) {
        guard let duration = DurationArgument(argument: argument)?.duration else { return nil }
        let (minutes, rest) = duration.components.seconds.quotientAndRemainder(dividingBy: 60)
        guard rest == 0, (1...1_440).contains(minutes), minutes < 60 ? 60 % minutes == 0 : 1_440 % minutes == 0,
            minutes < 60 || minutes % 60 == 0
        else { return nil }
        self.minutes = Int(minutes)
    }

    init(minutes: Int) {
        self.minutes = minutes
    }

    /// The default.
    static let quarterHour = UpdateInterval(minutes: 15)

    var defaultValueDescription: String { text }

    /// Such as `15m`.
    var text: String { minutes < 60 ? "\(minutes)m" : "\(minutes / 60)h" }

    /// When, for systemd.time(7).
    var calendar: String {
        switch minutes {
        case 1_440: "*-*-* 00:00:00"
        case 60...: "*-*-* 00/\(minutes / 60):00:00"
        default: "*-*-* *:00/\(minutes):00"
        }
    }

    /// When, for crontab(5).
    var crontab: String {
        switch minutes {
        case 1_440: "0 0 * * *"
        case 60...: "0 */\(minutes / 60) * * *"
        default: "*/\(minutes) * * * *"
        }
    }
}
