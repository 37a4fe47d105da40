// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program of the mail that introduced branch sampling in 2012, in form: main calls f1, which
 * calls f2 and f3 in turn. Tests put branches between its functions into made recordings.
 */
volatile unsigned sum;

__attribute__((noinline)) void f2(void)
{
	sum += 2;
}

__attribute__((noinline)) void f3(void)
{
	sum += 3;
}

__attribute__((noinline)) void f1(unsigned n)
{
	if (n & 1)
		f2();
	else
		f3();
	sum++;
}

int main(void)
{
	for (unsigned i = 0; i < 1000; i++)
		f1(i);
	return sum == 0;
}
