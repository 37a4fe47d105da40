# Programs that the tests of room symbol run.
TEST_HELPERS += $(O)/tests/symbol-dump

$(O)/tests/symbol-dump: $(O)/tests/helpers/symbol-dump.o $(O)/libperf.a
	@echo '  LINK    $@'
	@$(CC) $(LDFLAGS_ALL) -o $@ $< $(O)/libperf.a $(LIBS) -lm

-include $(O)/tests/helpers/symbol-dump.d
