# SPDX-License-Identifier: GPL-2.0-or-later
# perfdata-walk reads a recording to its end, perfdata-copy writes it again.
PERFDATA_HELPERS := $(O)/tests/helpers/perfdata-walk $(O)/tests/helpers/perfdata-copy
TEST_HELPERS += $(PERFDATA_HELPERS)

$(PERFDATA_HELPERS): %: %.o $(O)/libperf.a
	@echo '  HELPER  $@'
	@$(CC) $(LDFLAGS_ALL) -o $@ $< $(O)/libperf.a $(LIBS) -lm
