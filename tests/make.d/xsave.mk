# SPDX-License-Identifier: GPL-2.0-or-later
# A program with known values in its vector registers, for x86 only.
ifeq ($(shell uname -m),x86_64)
TEST_HELPERS += $(O)/tests/helpers/vectors $(O)/tests/helpers/ends $(O)/tests/helpers/lanes
endif

$(O)/tests/helpers/vectors: tests/helpers/vectors.c
	@mkdir -p $(@D)
	@echo '  HELPER  $<'
	@$(CC) -O1 -g -Wall -Wextra -fno-pie -no-pie $< -o $@

# Its functions have frames, so that callers are in call chains.
$(O)/tests/helpers/lanes: tests/helpers/lanes.c
	@mkdir -p $(@D)
	@echo '  HELPER  $<'
	@$(CC) -O1 -g -Wall -Wextra -fno-omit-frame-pointer -fno-optimize-sibling-calls $< -o $@

# Programs that are hard to trace.
ifeq ($(shell uname -s),Linux)
TEST_HELPERS += $(O)/tests/helpers/tracee $(O)/tests/helpers/lives $(O)/tests/helpers/server \
	$(O)/tests/helpers/signalled
endif

# Where 32-bit pointers reach what it has.
$(O)/tests/helpers/signalled: tests/helpers/signalled.c
	@mkdir -p $(@D)
	@echo '  HELPER  $<'
	@$(CC) -O1 -g -Wall -Wextra -fno-pie -no-pie -pthread $< -o $@

$(O)/tests/helpers/tracee $(O)/tests/helpers/lives $(O)/tests/helpers/ends $(O)/tests/helpers/server: $(O)/tests/helpers/%: tests/helpers/%.c
	@mkdir -p $(@D)
	@echo '  HELPER  $<'
	@$(CC) -O1 -g -Wall -Wextra -D_GNU_SOURCE -pthread $< -o $@
