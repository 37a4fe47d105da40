# SPDX-License-Identifier: GPL-2.0-or-later
# Calls that fail on demand, see tests/faults/faults.h, and what is recorded for that. make faults lets every
# call of every command fail, one to five minutes for each; FAULTS=--short takes one of each stack, and
# FAULTS="--class alloc 'report*'" a part.
FAULTS_SRC := tests/faults/faults.c tests/faults/server.c tests/faults/calls.c
TEST_HELPERS += $(O)/tests/faults/faults.so $(O)/tests/faults/busy
$(O)/tests/faults/faults.so: $(FAULTS_SRC) tests/faults/faults.h $(O)/.flags
	@mkdir -p $(@D)
	@echo '  HELPER  $@'
	@$(CC) -D_GNU_SOURCE -std=gnu17 -O2 -g -Wall -Wextra -fno-builtin -fPIC -shared -o $@ $(FAULTS_SRC) -ldl -pthread
ifneq ($(filter x86_64-% aarch64-% riscv64-%,$(shell $(CC) -dumpmachine)),)
BUSY_ALONE := -DBUSY_ALONE -ffreestanding -nostdlib -static -fno-pie -no-pie -fno-stack-protector -Wl,--build-id
endif
$(O)/tests/faults/busy: tests/faults/busy.c $(O)/.flags
	@mkdir -p $(@D)
	@echo '  HELPER  $@'
	@$(CC) -std=gnu17 -O1 -g -fno-omit-frame-pointer $(BUSY_ALONE) -o $@ $<

faults: tests
	@O='$(abspath $(O))' perl tests/faults/run $(FAULTS)

.PHONY: faults
