// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a name that a compiler made: C++, Rust, D; and as one that is to be short. */
#include <stdlib.h>

#include "fuzz.h"
#include "symbol/symbol.h"

static void run(const uint8_t *data, size_t size)
{
	char *name = strndup((const char *)data, size), *plain, buf[128];
	const char *text;

	if (!name)
		abort();
	for (int params = 0; params < 2; params++) {
		plain = symbol_demangle(name, params);
		fuzz_touch(plain);
		text = symbol_shorten(plain ? plain : name, 20 + (uint8_t)size % 64, buf,
				      sizeof(buf));
		if (text == buf && strlen(buf) >= sizeof(buf))
			abort();
		fuzz_touch(text);
		free(plain);
	}
	free(name);
}

const struct fuzz_target fuzz_demangle = {
	.name = "demangle",
	.reads = "names of C++, Rust and D",
	.max_len = 512,
	.run = run,
};
