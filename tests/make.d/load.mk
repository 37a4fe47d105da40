# SPDX-License-Identifier: GPL-2.0-or-later
# What system/record-load has recorded.
TEST_HELPERS += $(O)/tests/helpers/load

$(O)/tests/helpers/load: tests/helpers/load.c
	@mkdir -p $(@D)
	@echo '  LINK    $@'
	@$(CC) -O1 -Wall -Wextra -o $@ $< -pthread
