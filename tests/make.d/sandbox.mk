# SPDX-License-Identifier: GPL-2.0-or-later
# A process whose perf_event_open is forbidden by seccomp.
TEST_HELPERS += $(O)/tests/helpers/sandbox
$(O)/tests/helpers/sandbox: tests/helpers/sandbox.c $(O)/.flags
	@mkdir -p $(@D)
	@echo '  HELPER  $@'
	@$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $<
