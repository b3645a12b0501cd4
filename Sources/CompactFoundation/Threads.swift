// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The names are those of what this module stands in for, which documents them.

import Glibc

/// How urgent work is; without an effect here.
public enum QualityOfService: Sendable { case background, utility, userInitiated }

/// A thread.
///
/// Unchecked: its properties are set before it is started.
public final class Thread: @unchecked Sendable {
    private let work: @Sendable () -> Void
    public var qualityOfService = QualityOfService.utility
    public var name: String?

    public init(block work: @escaping @Sendable () -> Void) {
        self.work = work
    }

    /// Starts it; it ends with its work.
    public func start() {
        var (thread, attributes) = (pthread_t(), pthread_attr_t())
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        let owned = Unmanaged.passRetained(self).toOpaque()
        let code = pthread_create(
            &thread,
            &attributes,
            { owned in
                guard let owned else { return nil }
                Unmanaged<Thread>.fromOpaque(owned).takeRetainedValue().work()
                return nil
            },
            owned
        )
        // As Foundation does.
        precondition(code == 0, "can't start a thread")
    }

    /// Stands for the calling thread.
    public static var current: CurrentThread { CurrentThread.own }

    public static func sleep(forTimeInterval seconds: TimeInterval) {
        guard seconds > 0 else { return }
        var rest = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
        var left = timespec()
        while nanosleep(&rest, &left) != 0, errno == EINTR { rest = left }
    }
}

/// An object that stands for a thread. It has no state.
public final class CurrentThread: Sendable {
    // One for each thread, for as long as that runs.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { Unmanaged<CurrentThread>.fromOpaque($0!).release() }
        return key
    }()

    static var own: CurrentThread {
        if let known = pthread_getspecific(key) { return Unmanaged.fromOpaque(known).takeUnretainedValue() }
        let thread = CurrentThread()
        pthread_setspecific(key, Unmanaged.passRetained(thread).toOpaque())
        return thread
    }
}

/// A lock with a condition to wait for. Thread-safe.
///
/// Unchecked: the mutex is its own protection.
public final class NSCondition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    public init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    public func lock() { pthread_mutex_lock(mutex) }
    public func unlock() { pthread_mutex_unlock(mutex) }
    public func wait() { pthread_cond_wait(condition, mutex) }
    public func signal() { pthread_cond_signal(condition) }
    public func broadcast() { pthread_cond_broadcast(condition) }
}

/// The running program.
public struct ProcessInfo: Sendable {
    public static let processInfo = ProcessInfo()
    /// The number of processors that are in use, 1 or more.
    public var activeProcessorCount: Int { max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }
    public var processIdentifier: Int32 { getpid() }
}

/// A random identifier (RFC 9562 §5.4).
public struct UUID: Hashable, Sendable {
    public let uuidString: String

    public init() {
        func digits(_ count: Int) -> String {
            String((0..<count).map { _ in "0123456789ABCDEF".randomElement() ?? "0" })
        }
        uuidString = "\(digits(8))-\(digits(4))-4\(digits(3))-A\(digits(3))-\(digits(12))"
    }
}
