# SPDX-License-Identifier: GPL-2.0-or-later
# A loop of vector instructions, for registers that are computed.
ifeq ($(shell uname -m),x86_64)
TEST_HELPERS += $(O)/tests/helpers/counting
endif

$(O)/tests/helpers/counting: tests/helpers/counting.c
	@mkdir -p $(@D)
	@echo '  HELPER  $<'
	@$(CC) -O2 -g -Wall -Wextra $< -o $@
