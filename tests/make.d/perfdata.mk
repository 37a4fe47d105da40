# SPDX-License-Identifier: GPL-2.0-or-later
# Reads a recording to its end, see the program's head.
TEST_HELPERS += $(O)/tests/helpers/perfdata-walk

$(O)/tests/helpers/perfdata-walk: $(O)/tests/helpers/perfdata-walk.o $(O)/libperf.a
	@echo '  HELPER  $@'
	@$(CC) $(LDFLAGS_ALL) -o $@ $< $(O)/libperf.a $(LIBS) -lm
