// SPDX-License-Identifier: GPL-2.0-or-later
/* What commands over several recordings tell at their end. */
#include "cli/cli.h"
#include "files.h"

bool files_say(struct session_files *f, bool quiet)
{
	if (!quiet)
		for (const char *const *l = session_files_differences(f); *l; l++)
			log_warn("%s", *l);
	vec_for_each (e, &f->failed)
		cli_print_err(e);
	return f->failed.n;
}
