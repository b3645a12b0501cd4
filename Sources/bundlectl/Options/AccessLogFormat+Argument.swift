import ArgumentParser
import BundleServer

extension AccessLogFormat: ExpressibleByArgument {}
