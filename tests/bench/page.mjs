// SPDX-License-Identifier: GPL-2.0-or-later
// page.mjs PLAYWRIGHT CHROMIUM PAGE: milliseconds until the first view, and of a zoom. For tests/bench/page.
import { createRequire } from 'node:module';

const [where, executablePath, file] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(where);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const firsts = [];
let page;
for (let i = 0; i < 3; i++) {
	page = await (await browser.newContext({ offline: true, viewport: { width: 1280, height: 800 } })).newPage();
	await page.goto(`file://${file}`);
	await page.waitForSelector('body[data-ready=yes]', { timeout: 120000 });
	firsts.push(await page.evaluate(() => new Promise((done) => requestAnimationFrame(() =>
		done(performance.getEntriesByName('first-view')[0].startTime)))));
}
// Along the heaviest way down and up again, each step from the key that zooms until it is painted.
const zoom = await page.evaluate(async () => {
	const canvas = document.querySelector('.flame canvas');
	const press = (key) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
	const painted = () => new Promise((done) => addEventListener('hashchange', () => queueMicrotask(() => queueMicrotask(() => done(performance.now()))), { once: true }));
	let sum = 0, n = 0;
	for (let round = 0; round < 4; round++) {
		for (let depth = 0; depth < 10; depth++) {
			press('ArrowDown');
			const start = performance.now(), end = painted();
			press('Enter');
			sum += await end - start;
			n++;
		}
		const start = performance.now(), end = painted();
		press('Escape');
		sum += await end - start;
		n++;
	}
	return sum / n;
});
console.log(Math.min(...firsts), zoom);
await browser.close();
