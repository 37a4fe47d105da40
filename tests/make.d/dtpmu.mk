# SPDX-License-Identifier: GPL-2.0-or-later
TEST_HELPERS += $(O)/tests/bench/bench-dtpmu

$(O)/tests/bench/bench-dtpmu: $(O)/tests/bench/bench-dtpmu.o $(O)/libperf.a
	@echo '  LINK    $@'
	@$(CC) $(LDFLAGS_ALL) -o $@ $< $(O)/libperf.a $(LIBS) -lm
