# SPDX-License-Identifier: GPL-2.0-or-later
# What ends a suite that hangs: plain C, whatever is tested.
TEST_HELPERS += $(O)/tests/helpers/limit
$(O)/tests/helpers/limit: tests/helpers/limit.c
	@mkdir -p $(@D)
	@echo '  HELPER  $@'
	@$(CC) -D_GNU_SOURCE -std=gnu17 -O2 -Wall -Wextra -Werror -o $@ $<
