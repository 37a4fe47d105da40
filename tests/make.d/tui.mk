# SPDX-License-Identifier: GPL-2.0-or-later
# The core of the browsers, on a terminal.
TEST_HELPERS += $(O)/tests/helpers/tui-demo

$(O)/tests/helpers/tui-demo: $(O)/tests/helpers/tui-demo.o $(O)/libperf.a
	@echo '  LINK    $@'
	@$(CC) $(LDFLAGS_ALL) -o $@ $< $(O)/libperf.a $(LIBS) -lm
