"""The benchmark: speed of the replay, its growth with the number of sessions, and libCacheSim beside it."""
