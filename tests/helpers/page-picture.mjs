// SPDX-License-Identifier: GPL-2.0-or-later
// page-picture.mjs PLAYWRIGHT CHROMIUM PAGE DIR: the README's pictures of a page, DIR/page-*.png.
import { createRequire } from 'node:module';

const [where, executablePath, file, dir] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(where);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
for (const [name, fragment, colorScheme] of [['flame', 'search=table_|keys_', 'light'], ['code', 'view=code', 'dark']]) {
	const page = await (await browser.newContext({ offline: true, viewport: { width: 1000, height: 620 }, colorScheme })).newPage();
	await page.goto(`file://${file}#${fragment}`);
	await page.waitForSelector('body[data-ready=yes]');
	await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	await page.screenshot({ path: `${dir}/page-${name}.png` });
}
await browser.close();
