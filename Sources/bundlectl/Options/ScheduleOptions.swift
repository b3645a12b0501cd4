import ArgumentParser

/// Whether a person or a clock runs the program.
struct ScheduleOptions: ParsableArguments {
    @Flag(
        name: .customLong("scheduled"),
        help:
            "Run by a clock: don't ask a feed that has failed before its pause is over, and leave out a bundle that another process updates."
    )
    var isScheduled = false
}
