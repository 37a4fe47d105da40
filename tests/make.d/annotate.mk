# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that the tests of room annotate run.
TEST_HELPERS += $(O)/tests/helpers/listing-dump

$(O)/tests/helpers/listing-dump: $(O)/tests/helpers/listing-dump.o $(O)/libperf.a
	@echo '  LINK    $@'
	@$(CC) $(LDFLAGS_ALL) -o $@ $< $(O)/libperf.a $(LIBS) -lm

-include $(O)/tests/helpers/listing-dump.d
