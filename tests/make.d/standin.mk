# The stand-in for perf_event_open, see tests/standin/standin.h.
STANDIN := $(O)/tests/standin/standin.so
TEST_HELPERS += $(STANDIN) $(O)/tests/standin/try-open
STANDIN_SRC := $(wildcard tests/standin/*.c)
$(STANDIN): $(filter-out %/try-open.c,$(STANDIN_SRC)) tests/standin/standin.h $(O)/.flags
	@mkdir -p $(@D)
	@echo '  HELPER  $@'
	@$(CC) $(filter-out -fsanitize=%,$(CPPFLAGS_ALL) $(CFLAGS_ALL)) -fPIC -shared -o $@ \
		$(filter %.c,$^) -ldl -pthread
$(O)/tests/standin/try-open: tests/standin/try-open.c $(O)/.flags
	@mkdir -p $(@D)
	@echo '  HELPER  $@'
	@$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $<
