/* What tests of perf annotate look at: a loop, a branch in it, calls, a jump out. */

static volatile int sink;
int table[64];

__attribute__((noinline)) int leaf(int x)
{
	return table[x & 63] + 1;
}

__attribute__((noinline)) int branchy(int k, int x)
{
	int r = 0;

	for (int i = 0; i < k; i++) {
		x ^= x << 13;
		x ^= (int)((unsigned)x >> 17);
		if (x & 1)
			r += leaf(x);
		else
			r -= i;
	}
	return r;
}

__attribute__((noinline)) int tail(int x)
{
	return leaf(x + 1);
}

void _start(void)
{
	sink = branchy(100, 7) + tail(3);
	for (;;)
		;
}
