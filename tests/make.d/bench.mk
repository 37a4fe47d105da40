# Generator of the large inputs of `make bench`.
TEST_HELPERS += $(O)/tests/bench/gen
$(O)/tests/bench/gen: tests/bench/gen.c $(O)/.flags
	@mkdir -p $(@D)
	@echo '  HELPER  $@'
	@$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $<

# Tables out of a rich table of ten million rows.
TEST_HELPERS += $(O)/tests/bench/derive
$(O)/tests/bench/derive: $(O)/tests/bench/derive.o $(O)/libperf.a
	@echo '  LINK    $@'
	@$(CC) $(LDFLAGS_ALL) -o $@ $< $(O)/libperf.a $(LIBS) -lm
