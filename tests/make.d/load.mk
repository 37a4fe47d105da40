# SPDX-License-Identifier: GPL-2.0-or-later
# What system/record-load and system/record-odd have recorded.
TEST_HELPERS += $(O)/tests/helpers/load

$(O)/tests/helpers/load: tests/helpers/load.c
	@mkdir -p $(@D)
	@echo '  LINK    $@'
	@$(CC) -O1 -Wall -Wextra -o $@ $< -pthread

# A slow disk, a clock that is set: preloaded into the recorder.
TEST_HELPERS += $(O)/tests/helpers/odd-machine.so
$(O)/tests/helpers/odd-machine.so: tests/helpers/odd-machine.c
	@mkdir -p $(@D)
	@echo '  HELPER  $@'
	@$(CC) -D_GNU_SOURCE -std=gnu17 -O1 -Wall -Wextra -fPIC -shared -o $@ $< -ldl
