# SPDX-License-Identifier: GPL-2.0-or-later
# Programs whose call stacks are known, for recordings that unwind while they stand still.
ifeq ($(shell uname -m),x86_64)
TEST_HELPERS += $(O)/tests/helpers/stacks
endif

$(O)/tests/helpers/stacks: tests/helpers/stacks.c $(O)/.flags
	@mkdir -p $(@D)
	@echo '  HELPER  $@'
	@$(CC) -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -Wall -Wextra -o $@ $<
