# SPDX-License-Identifier: GPL-2.0-or-later
# make fuzz [TIME=SECONDS | FUZZ_RUNS=N] [FUZZ='NAME...']: the targets tests/fuzz/fuzz-*.c, built with
# libFuzzer: SECONDS together, or N inputs each (default 200000). Corpora grow in $(O)/fuzz; what was run is
# counted in $(O)/fuzz/counts, for tests/fuzz/table. fuzz-build only builds.
FUZZ_CC	  ?= clang
FUZZ_RUNS ?= 200000
TIME	  ?=
FUZZ_SRC  := $(sort $(wildcard tests/fuzz/fuzz-*.c))
FUZZ_ALL  := $(FUZZ_SRC:tests/fuzz/fuzz-%.c=%)
FUZZ	  ?= $(FUZZ_ALL)
FUZZ_O	  := $(O)/fuzz
FUZZ_SHARED := $(patsubst %,tests/fuzz/%.c,support image perf-main dtpmu-ask) $(sort $(wildcard tests/fuzz/mutate-*.c))
# The program itself is a target: its main() is called perf_main() there.
FUZZ_LIB  := $(LIB_SRC:%.c=$(FUZZ_O)/%.o) $(PERF_SRC:%.c=$(FUZZ_O)/%.o) $(FUZZ_SHARED:%.c=$(FUZZ_O)/%.o)
FUZZ_FLAGS := -O1 -gline-tables-only -std=gnu17 -fno-omit-frame-pointer -fsanitize=address,undefined \
	      -fno-sanitize-recover=all
# Edges, but not the operands of every comparison: these took a third of the time, and the mutators
# know what is compared.
FUZZ_COVER := -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp

$(FUZZ_O)/tools/lib/page/page.o: $(O)/page-embed.h
$(FUZZ_O)/tools/perf/perf.o: CPPFLAGS_FUZZ := -Dmain=perf_main
# No less than the largest piece that is copied into it.
$(FUZZ_O)/tools/lib/perfdata/write.o: CPPFLAGS_FUZZ := -D'WRITE_BUF=(64u << 10)'
$(FUZZ_O)/tools/lib/brflow/brflow.o: CPPFLAGS_FUZZ := -DMEMO_BITS=8
$(FUZZ_O)/tools/lib/fleet/compose.o: CPPFLAGS_FUZZ := -DMOST=64

fuzz-build: $(FUZZ:%=$(FUZZ_O)/fuzz-%)

# Changed flags rebuild everything, as in the Makefile.
FUZZ_NOW := $(FUZZ_CC) $(CPPFLAGS_ALL) $(FUZZ_FLAGS) $(FUZZ_COVER)
$(FUZZ_O)/.flags: force
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FUZZ_NOW))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(FUZZ_NOW))' > $@

$(FUZZ_O)/%.o: %.c $(O)/config.mk $(FUZZ_O)/.flags
	@mkdir -p $(@D)
	@echo '  FUZZCC  $<'
	@$(FUZZ_CC) $(CPPFLAGS_ALL) $(CPPFLAGS_FUZZ) $(FUZZ_FLAGS) $(FUZZ_COVER) $(LIBS_CFLAGS) \
		-MMD -MP -c $< -o $@

$(FUZZ_O)/libperf.a: $(FUZZ_LIB)
	@rm -f $@ && ar rcs $@ $^

$(FUZZ_O)/driver-%.o: tests/fuzz/libfuzzer.c tests/fuzz/fuzz.h
	@mkdir -p $(@D)
	@$(FUZZ_CC) $(CPPFLAGS_ALL) $(FUZZ_FLAGS) -DFUZZ_TARGET=fuzz_$(subst -,_,$*) -c $< -o $@

$(FUZZ_O)/fuzz-%: $(FUZZ_O)/driver-%.o $(FUZZ_O)/tests/fuzz/fuzz-%.o $(FUZZ_O)/libperf.a
	@echo '  FUZZLD  $@'
	@$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer -pthread -o $@ $^ $(LIBS) -lm

fuzz: fuzz-build
	@O='$(abspath $(O))' TIME='$(TIME)' FUZZ_RUNS='$(FUZZ_RUNS)' sh tests/fuzz/run $(FUZZ)

# All targets in one program, without libFuzzer: what `make check` runs.
TEST_HELPERS += $(O)/tests/fuzz/replay
REPLAY_OBJ := $(patsubst %.c,$(O)/%.o,$(FUZZ_SRC) $(FUZZ_SHARED)) $(O)/tests/fuzz/main-perf.o
REPLAY_DEF := -D'FUZZ_TARGETS(X)=$(foreach t,$(FUZZ_ALL),X($(t)))'

$(O)/tests/fuzz/main-perf.o: tools/perf/perf.c $(O)/.flags $(O)/config.mk
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS_ALL) -Dmain=perf_main $(CFLAGS_ALL) $(LIBS_CFLAGS) -MMD -MP -c $< -o $@

$(O)/tests/fuzz/replay.o: tests/fuzz/replay.c $(FUZZ_SRC) $(O)/.flags $(O)/config.mk
	@mkdir -p $(@D)
	@echo '  CC      $<'
	@$(CC) $(CPPFLAGS_ALL) $(REPLAY_DEF) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

$(O)/tests/fuzz/replay: $(O)/tests/fuzz/replay.o $(REPLAY_OBJ) $(filter-out %/perf.o,$(PERF_OBJ)) $(O)/libperf.a
	@echo '  LINK    $@'
	@$(CC) $(LDFLAGS_ALL) $(WRAP) -o $@ $^ $(LIBS) -lm

-include $(FUZZ_LIB:.o=.d) $(FUZZ_SRC:%.c=$(FUZZ_O)/%.d) $(REPLAY_OBJ:.o=.d) $(O)/tests/fuzz/replay.d

.PHONY: fuzz-build
