EvictionBenchmark.run()
