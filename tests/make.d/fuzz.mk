# SPDX-License-Identifier: GPL-2.0-or-later
# make fuzz [FUZZ_RUNS=N] [FUZZ=NAME]: the libFuzzer targets tests/fuzz/fuzz-*.c, each for N runs
# (default 200000) over a corpus of its own, which starts as the small recordings of tests/data.
FUZZ_CC	  ?= clang
FUZZ_RUNS ?= 200000
FUZZ_SRC  := $(sort $(wildcard tests/fuzz/fuzz-*.c))
FUZZ	  ?= $(FUZZ_SRC:tests/fuzz/fuzz-%.c=%)
FUZZ_O	  := $(O)/fuzz
# The rooms that targets use (a new target may need more): less to build than all.
FUZZ_ROOMS := base emit cli regs branch attr elf trace perfdata host sample dtpmu jit machine buildid symbol insn unwind \
	      session convert dump brflow keys table view annotate faces page
FUZZ_LIB  := $(patsubst %.c,$(FUZZ_O)/%.o,$(sort $(wildcard $(FUZZ_ROOMS:%=tools/lib/%/*.c))))
FUZZ_FLAGS := -O1 -gline-tables-only -std=gnu17 -fno-omit-frame-pointer -fsanitize=address,undefined \
	      -fno-sanitize-recover=all

$(FUZZ_O)/tools/lib/page/page.o: $(O)/page-embed.h

fuzz-build: $(FUZZ:%=$(FUZZ_O)/fuzz-%)

$(FUZZ_O)/%.o: %.c $(O)/config.mk
	@mkdir -p $(@D)
	@echo '  FUZZCC  $<'
	@$(FUZZ_CC) $(CPPFLAGS_ALL) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link $(LIBS_CFLAGS) -MMD -MP \
		-c $< -o $@

$(FUZZ_O)/libperf.a: $(FUZZ_LIB)
	@rm -f $@ && ar rcs $@ $^

$(FUZZ_O)/fuzz-%: $(FUZZ_O)/tests/fuzz/fuzz-%.o $(FUZZ_O)/libperf.a
	@echo '  FUZZLD  $@'
	@$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS) -lm

fuzz: fuzz-build
	@for t in $(FUZZ); do \
		sh tests/fuzz/run $(FUZZ_O)/fuzz-$$t $(FUZZ_RUNS) || exit 1; \
	done

-include $(FUZZ_LIB:.o=.d) $(FUZZ_SRC:%.c=$(FUZZ_O)/%.d)

.PHONY: fuzz-build
