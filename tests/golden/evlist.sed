# What is changed in perf 7.2.13's `evlist -v` before ours is compared with it.
# Tracepoints: it names config by the ids of the machine it runs on, not of the recording's.
s/^(.*type: 2 .*config: 0x[0-9a-f]+) \([^)]*\)/\1/
# Dynamic PMUs likewise: 8 is uprobe and 4 is cpu only there.
s/type: 8 \(uprobe\)/type: 8/
s/type: 4 \(cpu\)/type: 4 (PERF_TYPE_RAW)/
s@\(cpu/(PERF_COUNT_[A-Z_]*)/\)@(\1)@
