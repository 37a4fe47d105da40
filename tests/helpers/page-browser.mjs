// SPDX-License-Identifier: GPL-2.0-or-later
// page-browser.mjs PLAYWRIGHT CHROMIUM PAGE DIFF SIMD VECTORS THREE ANSWERS REGISTERS TRUTH TWINS SHOTS: pages of tests/helpers/page-file.py in a browser, by the
// mouse and by the keyboard; DIFF is of two recordings, SIMD has vectors
// (it may be missing), VECTORS is of tests/helpers/page-simd.py, TWINS of two objects with functions of the same names. "ok - NAME" and "not ok - NAME" for each test, reasons behind "# ".
// Nothing waits for a time: each step waits for what is to be seen.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

const [where, chromiumPath, file, diff, simd, vectors, three, answers, registers, truth, twins, shots] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(where);
const urlOf = (name) => `file://${encodeURI(name).replaceAll('#', '%23').replaceAll('?', '%3F')}`;

function told(good, name, ...why) {
	console.log(`${good ? 'ok' : 'not ok'} - ${name}`);
	if (!good)
		for (const line of why)
			console.log(`# ${JSON.stringify(line)}`);
}
const is = (name, got, want) => told(got === want, name, { got }, { want });
const like = (name, got, want) => told(want.test(got), name, { got }, { want: String(want) });

const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'] });
const troubles = [], requests = [];

async function open(fragment = '', options = {}, name = file) {
	const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 800 }, ...options });
	const page = await context.newPage();
	page.setDefaultTimeout(15000);
	await page.route('**/*', (route) => (route.request().url().startsWith('file:') ? route.continue() : route.abort()));
	page.on('request', (r) => requests.push(r.url().split('#')[0]));
	page.on('pageerror', (e) => troubles.push(e.message));
	/* What it says of reading a canvas is about this test. */
	page.on('console', (m) => m.text().startsWith('Canvas2D') || troubles.push(m.text()));
	page.on('dialog', (d) => { troubles.push('dialog'); d.dismiss(); });
	await page.goto(`${urlOf(name)}${fragment}`);
	await page.waitForSelector('body[data-ready=yes]');
	return page;
}
const text = (page, at) => page.textContent(at);
const shows = async (page, at, want) => {
	try {
		await page.waitForFunction(([a, w]) => new RegExp(w).test(document.querySelector(a)?.textContent || ''),
			[at, want.source], { timeout: 5000 });
		return true;
	} catch {
		return false;
	}
};
const see = async (name, page, at, want) => told(await shows(page, at, want), name, { got: await text(page, at) }, { want: String(want) });
const cell = (page, row, column) => page.textContent(`#view tbody tr:nth-child(${row}) > :nth-child(${column})`);
const rows = (page) => page.locator('#view tbody tr').count();

// ---- nothing but the page -----------------------------------------------------------------------

let page = await open();
is('no markup came out of names', await page.evaluate(() => document.querySelectorAll('img, b, iframe, object, link, base').length), 0);
is('there is one script, the page\'s own', await page.evaluate(() => document.scripts.length), 1);
like('the title says the command as it is', await page.title(), /^perf: perf record <\/script><script>document\.title="hit"/);
is('its policy lets no connection out', await page.evaluate(() => fetch('http://127.0.0.1:1/').then(() => 'sent', () => 'refused')), 'refused');
is('nor a script that was put in', await page.evaluate(() => {
	const s = document.createElement('script');
	s.textContent = 'document.title = "put in"';
	document.body.append(s);
	s.remove();
	return document.title === 'put in';
}), false);
told(troubles.length >= 2, 'and the browser says that the policy refused these', troubles);
troubles.length = 0;

// ---- flame graph --------------------------------------------------------------------------------

await see('all samples are told', page, '#status', /^709 samples/);
const painted = () => page.evaluate(() => {
	const c = document.querySelector('.flame canvas');
	const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
	const colours = new Set();
	for (let i = 0; i < d.length; i += 4)
		if (d[i + 3])
			colours.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
	return colours.size;
});
told(await painted() > 3, 'the flame graph is painted', await painted());
await page.screenshot({ path: `${shots}/flame-light.png` });
await page.focus('.flame canvas');
await page.keyboard.press('ArrowDown');
await see('arrow keys walk, and say where', page, '#status', /^main, 99\.99 %, level 1/);
await page.keyboard.press('ArrowDown');
await page.keyboard.press('ArrowRight');
await see('to siblings, by weight', page, '#status', /^again, 14\.27 %, level 2/);
await page.keyboard.press('Enter');
await page.waitForFunction(() => location.hash.includes('zoom='));
await see('Enter zooms, and the detail says shares', page, '#detail', /again.*14\.27 % of all · 14\.27 % of main · itself 0\.00 %/);
await page.screenshot({ path: `${shots}/flame-zoom.png` });
await page.keyboard.press('ArrowDown');
await see('below it shares of what is seen, too', page, '#detail', /again.*14\.27 % of all · 100\.00 % of again · 100\.00 % of what is seen/);
await page.keyboard.press('Escape');
await page.waitForFunction(() => !location.hash.includes('zoom='));
await see('Escape shows all', page, '#detail', /^all: 709 samples/);
await page.mouse.click(400, (await page.locator('.flame canvas').boundingBox()).y + 27);
await see('a click zooms too', page, '#detail', /main.*99\.99 % of all/);
await page.click('#reset');
await see('Show all goes back', page, '#detail', /^all: 709/);
await page.goBack();
await see('so does the browser, one step', page, '#detail', /main.*99\.99 % of all/);
await page.click('#reset');
await page.check('#recursion');
await page.focus('.flame canvas');
for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowDown'])
	await page.keyboard.press(key);
await see('recursion as one: below again is leaf', page, '#status', /^leaf, 14\.27 %, level 3/);
await page.uncheck('#recursion');
await page.check('#callers');
await page.focus('.flame canvas');
await page.keyboard.press('ArrowDown');
await see('callers: what most samples were in comes first', page, '#status', /^leaf, 71\.36 %, level 1/);
await page.keyboard.press('ArrowDown');
await see('and above it what called it', page, '#status', /^work, 57\.09 %, level 2/);
await page.screenshot({ path: `${shots}/callers.png` });
await page.uncheck('#callers');
await page.selectOption('#group', 'object');
await page.focus('.flame canvas');
await page.keyboard.press('ArrowDown');
await see('objects: one frame of each in a row', page, '#status', /^script><b onclick=alert\(1\)>"&\.so, 99\.99 %, level 1/);
await page.selectOption('#group', '');
await page.check('#threads');
await page.focus('.flame canvas');
await page.keyboard.press('ArrowDown');
await see('by thread: the busiest first', page, '#status', /^<\/script><scrip 10\/10, 57\.17 %, level 1/);
await page.uncheck('#threads');
await page.selectOption('#group', 'package');
await page.focus('.flame canvas');
await page.keyboard.press('ArrowDown');
await see('packages: of names that have none it is the object', page, '#status', /^script><b onclick=alert\(1\)>"&\.so, 99\.99 %, level 1/);
await page.selectOption('#group', '');
await page.selectOption('#order', 'time');
const pressed = async (...keys) => {
	await page.focus('.flame canvas');
	for (const key of keys)
		await page.keyboard.press(key);
};
await pressed('ArrowDown', 'ArrowDown');
await see('as they came: main is one block, what it called comes in turns', page, '#status', /^work, 0\.\d\d %, level 2/);
await pressed('ArrowRight');
await see('the next one is what came next', page, '#status', /^(again|<\/script>|"quotes).*, 0\.\d\d %, level 2/);
await pressed('Enter');
const place = /zoom=0\.1(?!\d)/;
told(place.test(await page.evaluate(() => location.hash)), 'and is zoomed to by its place', await page.evaluate(() => location.hash));
await page.screenshot({ path: `${shots}/time-order.png` });
await page.selectOption('#order', 'heavy');
await page.selectOption('#colours', 'object');
told(await painted() > 3, 'colours by object', await painted());
await page.selectOption('#colours', 'kind');
like('what colours mean is said', await text(page, '#legend'), /user.*unknown/);
await page.hover('.flame canvas', { position: { x: 200, y: 30 } });
await see('what lies under the mouse', page, '.tip', /^main\n99\.99 % of all, itself/);

// ---- search -------------------------------------------------------------------------------------

const search = async (what) => {
	await page.fill('#search', what);
	await page.press('#search', 'Enter');
};
await search('leaf|again');
await see('search: a sample whose stack has both counts once', page, '#found', /^2 functions, 71\.36 %/);
await search('again(');
await see('what is no expression is text', page, '#found', /^0 functions \(as plain text\)/);
await search('<script>');
await see('markup is found as text', page, '#found', /^1 functions, 0\.01 %/);
await search('x{500}');
await see('long names are searched', page, '#found', /^1 functions, 0\.01 %/);
await search('');

// ---- steps, choices -----------------------------------------------------------------------------

const onto = async (...keys) => {
	await page.focus('.flame canvas');
	await page.keyboard.press('Home');
	for (const key of keys)
		await page.keyboard.press(key);
};
await onto('ArrowDown', 'ArrowDown', 'ArrowRight');
await see('on a function', page, '#detail .name', /^again$/);
await page.click('#detail >> text=Focus');
await see('focus leaves its stacks', page, '#status', /^200 samples/);
await page.click('#steps button');
await see('a step can be taken away', page, '#status', /^709 samples/);
await onto('ArrowDown', 'ArrowDown', 'ArrowRight');
await page.click('#detail >> text=Ignore');
await see('ignore leaves the others', page, '#status', /^509 samples/);
await page.click('#steps button');
await onto('ArrowDown', 'ArrowDown', 'ArrowRight');
await page.click('#detail >> text=Hide');
await onto('ArrowDown', 'ArrowDown', 'ArrowRight');
await see('hide gives what it cost to its caller', page, '#status', /^leaf, 14\.27 %, level 2/);
await page.click('#steps button');
await onto('ArrowDown');
await page.click('#detail >> text=Copy stack');
await see('a stack is copied', page, '#status', /clipboard|does not let/);
await page.selectOption('#thread', { label: await page.evaluate(() => [...document.querySelectorAll('#thread option')].find((o) => o.textContent.endsWith('20/21')).textContent) });
await see('a thread is chosen', page, '#status', /^100 samples/);
await page.selectOption('#thread', '-1');
await page.selectOption('#process', '10');
await see('a process is', page, '#status', /^408 samples/);
await page.selectOption('#process', '-1');
await page.selectOption('#cpu', '1');
await see('a CPU is', page, '#status', /^100 samples/);
await page.selectOption('#cpu', '-1');
await page.selectOption('#event', '1');
await see('another event is', page, '#status', /^10 samples/);
await page.selectOption('#event', '0');

// ---- functions ----------------------------------------------------------------------------------

await page.click('#tab-functions');
await see('functions, each in a row', page, '#view caption', /^12 functions|^13 functions/);
is('the one with most samples of its own first', `${await cell(page, 1, 3)} ${await cell(page, 1, 1)}`, 'leaf 71.36 %');
await page.click('#view thead >> text=Total');
await page.waitForFunction(() => document.querySelector('#view tbody tr td:nth-child(3)')?.textContent === 'main');
is('by total it is main', await cell(page, 1, 2), '99.99 %');
is('a recursive one is not more than its samples', await page.evaluate(() => [...document.querySelectorAll('#view tbody tr')]
	.find((r) => r.children[2].textContent === 'again').children[1].textContent), '14.27 %');
is('and the keyboard stays on its head', await page.evaluate(() => document.activeElement.id), 'sort-total');
is('heads say how it is sorted', await page.getAttribute('#view thead th:nth-child(2)', 'aria-sort'), 'descending');
const names = await page.evaluate(() => [...document.querySelectorAll('#view tbody tr')].map((r) => r.children[2].textContent));
for (const [what, want] of [['markup', '</script><script>document.title="hit"'], ['quotes', '"quotes\' `and` & \\backslash\\'],
	['marks of direction, visibly', 'bidi\\xe2\\x80\\xae'], ['broken bytes, visibly', 'broken\\xff\\xc3(\\xed'],
	['__proto__', '__proto__'], ['constructor', 'constructor'], ['a long name, in part', 'x'.repeat(500) + '…']])
	told(names.some((n) => n.startsWith(want)), `a name is what it is: ${what}`, names.map((n) => n.slice(0, 60)));
await page.screenshot({ path: `${shots}/functions.png` });
await page.click('.columns summary');
await page.check('#column-selfnumber');
await page.waitForFunction(() => document.querySelectorAll('#view thead th').length === 6);
await page.check('#column-event1');
await page.waitForFunction(() => document.querySelectorAll('#view thead th').length === 7);
is('columns are chosen: numbers, another event', await page.evaluate(() => [...document.querySelectorAll('#view tbody tr')]
	.find((r) => r.children[4].textContent === 'leaf').textContent), 'leaf'.replace(/^/, '71.36 %71.36 %50\u2009000100.00 %') + 'script><b onclick=alert(1)>"&.souser');
await page.uncheck('#column-event1');
await page.uncheck('#column-selfnumber');
await page.waitForFunction(() => document.querySelectorAll('#view thead th').length === 5);
await page.fill('#filter', 'wor');
await page.press('#filter', 'Enter');
await page.waitForFunction(() => document.querySelectorAll('#view tbody tr').length === 1);
is('the filter', await cell(page, 1, 3), 'work');
await page.fill('#filter', '');
await page.press('#filter', 'Enter');
await page.waitForFunction(() => document.querySelectorAll('#view tbody tr').length > 5);
await page.click('#view tbody >> text=again');

// ---- sandwich, tree -----------------------------------------------------------------------------

await see('a function opens its sandwich', page, '#view h2', /^Callers of again/);
await see('which says its shares', page, '#view .bar', /14\.27 % of all, itself 0\.00 %/);
await page.selectOption('#function', { label: '71.36 %  leaf' });
await see('another one is chosen', page, '#view h2', /^Callers of leaf/);
await page.goBack();
await see('which counts its samples once', page, '#detail', /again.*14\.27 % of all/);
await page.locator('.flame canvas').first().focus();
await page.keyboard.press('ArrowUp');
await see('what calls it, above', page, '#status', /^main, 14\.27 %, level 1/);
await page.locator('.flame canvas').last().focus();
await page.keyboard.press('ArrowDown');
await page.keyboard.press('ArrowDown');
await see('what it calls, below: itself, twice', page, '#status', /^again, 14\.27 %, level 2/);
await page.screenshot({ path: `${shots}/sandwich.png` });
await page.click('#tab-tree');
await page.waitForSelector('[role=treeitem]');
await page.focus('[role=treeitem][tabindex="0"]');
like('a tree for readers', await page.locator('[role=tree]').ariaSnapshot(), /tree "Tree of calls"[\s\S]*treeitem[\s\S]*99\.99 %[\s\S]*main/);
await page.keyboard.press('ArrowRight');
await page.keyboard.press('ArrowRight');
await see('its keys go down', page, '#status', /^work, .*level 2/);
await page.keyboard.press('ArrowLeft');
await page.keyboard.press('ArrowLeft');
await see('and up', page, '#status', /^main, .*level 1/);
is('and close', await page.getAttribute('[role=treeitem]', 'aria-expanded'), 'true');
await page.keyboard.press('ArrowLeft');
is('a branch', await page.getAttribute('[role=treeitem]', 'aria-expanded'), 'false');
await page.screenshot({ path: `${shots}/tree.png` });

// ---- time ---------------------------------------------------------------------------------------

await page.click('#tab-time');
await see('what the lanes say is said in words', page, '#time-note', /6 times a thread stopped running.*7 samples or records were lost/);
const time = await page.locator('canvas.time').boundingBox();
const across = (part) => time.x + 190 + (time.width - 190) * part;
await page.screenshot({ path: `${shots}/time.png` });
await page.mouse.move(across(0.25), time.y + 40);
await page.mouse.down();
await page.mouse.move(across(0.3), time.y + 40);
await page.mouse.move(across(0.4), time.y + 40);
await page.mouse.up();
await page.waitForFunction(() => /from=\d+&to=\d+/.test(location.hash));
const part = async () => Number((await text(page, '#status')).split(' ')[0]);
told(await part() > 100 && await part() < 400, 'a span that is drawn chooses samples', await part());
await see('and says itself', page, '#steps', /time 1\..* s to 1\..* s|time 9\d\d.* to/);
const chosen = await part();
await page.click('#tab-flame');
told(await shows(page, '#status', new RegExp(`^${chosen} samples`)), 'in the other views too', await text(page, '#status'));
await page.click('#steps button');
await see('all of the time again', page, '#status', /^709 samples/);
await page.click('#tab-time');
await page.waitForSelector('canvas.time');
await page.focus('canvas.time');
for (const key of ['ArrowRight', 'ArrowRight', 'Shift+PageDown'])
	await page.keyboard.press(key);
await see('the keyboard selects a span', page, '#steps', /time/);
is('from where it stood', (await page.evaluate(() => location.hash)).match(/from=\d+&to=\d+/)?.[0], 'from=2&to=12');
like('and readers hear where', await page.getAttribute('canvas.time', 'aria-valuetext'), /ms, \d+/);
await page.keyboard.press('Escape');
await page.waitForFunction(() => !/from=/.test(location.hash));
told(await page.isVisible('canvas.heat'), 'a map of seconds');
await page.locator('canvas.heat').scrollIntoViewIfNeeded();
const heat = await page.locator('canvas.heat').boundingBox();
await page.mouse.move(heat.x + 190 + 45, heat.y + 24 + 2);
await see('which tells what is under the mouse', page, '.times .tip', /all\n\d+/);
await page.dispatchEvent('canvas.heat', 'pointerup', { clientX: heat.x + 190 + 45, clientY: heat.y + heat.height - 7 });
told(!await page.evaluate(() => /from=/.test(location.hash)), 'what was drawn from elsewhere is no span');
await page.mouse.down();
await page.mouse.move(heat.x + 190 + 45, heat.y + heat.height - 7);
await page.mouse.up();
await see('a span is drawn there too: the first second', page, '#steps', /time 0\.0 µs to 1\.00\d s/);
await page.click('#steps button');
await see('and taken away', page, '#status', /^709 samples/);

// ---- branches, recording ------------------------------------------------------------------------

await page.click('#tab-branches');
await page.waitForFunction(() => document.querySelectorAll('#view tbody tr').length === 5);
const missed = await page.evaluate(() => [...document.querySelectorAll('#view tbody tr')].map((r) => [...r.children].map((c) => c.textContent).join(' | ')).sort().join('\n'));
like('edges with mispredictions and cycles', missed, /10 \| 25\.00 % \| 0\.00 % \| 0 \| 5\.0 \| work\+0x14.*leaf\+0x0[\s\S]*30 \| 75\.00 % \| 100\.00 % \| 30 \| 3\.0 \| leaf\+0x28.*leaf\+0x8/);
like('ranges with their cycles', missed, /20 \| 66\.67 % \| 3\.0 \| (33 \| 11\.00|- \| -) \| leaf\+0x8.*leaf\+0x28/);
like('and paths', missed, /10 \| 100\.00 % \| 75\.00 % \| 9\.0 \| work\+0x14 → leaf\+0x0; leaf\+0x28/);
await see('in sum', page, '#branch-sum', /^40 branches, 75\.00 % mispredicted, 3\.5 cycles/);
await page.evaluate(() => { location.hash = '#view=branches&from=0&to=107'; });
await see('of the time that is chosen: 5 of 10 stacks', page, '#branch-sum', /^20 branches/);
await page.evaluate(() => { location.hash = '#view=branches&thread=0'; });
await see('and of the thread', page, '#branch-sum', /^0 branches/);
await page.evaluate(() => { location.hash = '#view=branches'; });
await see('and of all again', page, '#branch-sum', /^40 branches/);
await page.screenshot({ path: `${shots}/branches.png` });
await page.click('#tab-code');
await page.waitForSelector('#view .note');
if (await page.locator('#missing').count()) {
	console.log('# this perf has no disassembler');
} else {
	await see('code: the hottest function, with its samples', page, '#view caption', /^600 samples/);
	is('at the instruction that they were at', await page.evaluate(() => [...document.querySelectorAll('.listing tbody tr')]
		.filter((r) => r.children[0].textContent).map((r) => r.textContent.trim().replace(/\s+/g, ' ')).join('; ')), '100.00 %3011.89401090nop');
	told(await page.evaluate(() => document.querySelector('#line-17').getBoundingClientRect().top < innerHeight), 'which is what is seen first');
	await page.selectOption('#function', { index: 1 });
	await page.waitForFunction(() => /function=/.test(location.hash));
	await see('and others', page, '#view caption', /^100 samples/);
	await page.evaluate(() => { location.hash = '#view=code&function=2&from=0&to=255'; });
	await see('of the time that is chosen', page, '#view caption', /^162 samples/);
	await page.screenshot({ path: `${shots}/code.png` });
	await page.evaluate(() => { location.hash = '#view=code&function=1&sort=total&colours=kind&columns=self.total.name.object.kind'; });
}
await page.click('#tab-recording');
await see('the recording: its command', page, '#view dl', /perf record <\/script><script>/);
await see('what was lost', page, '#view dl', /Lost samples7/);
await see('what is missing and what to do', page, '#view', /gone<b>\.so.*perf buildid-cache --add/);
await page.screenshot({ path: `${shots}/recording.png` });

// ---- addresses ----------------------------------------------------------------------------------

const again = await page.evaluate(() => location.hash);
is('the address says what is seen', again, '#view=recording&function=1&sort=total&colours=kind&columns=self.total.name.object.kind');
await page.close();
page = await open('#view=flame&search=leaf&steps=f2&callers=1');
await see('and leads there', page, '#found', /^1 functions, 100\.00 %/);
await page.close();
for (const bad of ['#view=<img src=x onerror=alert(1)>&search=<script>&zoom=9.9.9.1e9&event=-1&thread=99999&from=9&to=1&sort=__proto__&function=1e9&steps=f99999.x.h',
	'#%00%ff&view=constructor&search=(((((a*)*)*&filter=%3Cb%3E', '#view=sandwich&function=99999999', '#view=functions&sort=constructor', '#view=code']) {
	page = await open(bad);
	is(`an address from anybody does no harm: ${bad.slice(0, 24)}`, await page.evaluate(() => document.querySelectorAll('img, b').length), 0);
	await page.close();
}

// ---- perf diff: any number of recordings ---------------------------------------------------------

page = await open('', {}, three);
await see('a page of perf diff begins with differences', page, '#sides', /before\.data \(baseline\).*309 samples.*perf\.data.*before\.data/);
await see('... what changed in each file', page, '#view thead', /Baseline.*Change \[1\].*Change \[2\].*Symbol/);
const lineOf = (name) => page.evaluate((n) => [...document.querySelectorAll('#view tbody tr')].map((r) => [...r.children].map((c) => c.textContent.trim()))
	.find((r) => r.at(-1).endsWith(n))?.join('|'), name);
like('... as perf diff prints it', await lineOf('leaf'), /\|\+\d+\.\d\d\|0\.00\|\[\.\] leaf$/);
is('... what may be chance is told', await page.evaluate(() => [...document.querySelectorAll('#view .chance')].every((e) => /may be chance, which makes/.test(e.title))), true);
const lines = (p) => p.evaluate(() => document.querySelectorAll('#view tbody tr').length);
const all = await lines(page);
await page.click('#significant');
await page.waitForFunction((n) => document.querySelectorAll('#view tbody tr').length < n, all);
is('... and can be left out', await page.evaluate(() => [...document.querySelectorAll('#view tbody tr')].every((r) => r.querySelectorAll('.chance').length < 2)), true);
await page.click('#significant');
await page.selectOption('#compared', '1');
await page.waitForFunction(() => /Call tree/.test(document.querySelector('#view thead')?.textContent || '') || document.querySelectorAll('#compared option').length > 2);
const trees = await page.evaluate(() => [...document.querySelectorAll('#compared option')].findIndex((o) => /call tree/.test(o.textContent)));
await page.selectOption('#compared', String(trees));
await see('the call tree of all', page, '#view thead', /Call tree/);
const nodes = await lines(page);
await page.click('#view tbody button[aria-label=fold]');
await page.waitForFunction((n) => document.querySelectorAll('#view tbody tr').length < n, nodes);
await page.click('#view tbody button[aria-label=unfold]');
is('... folds and unfolds', await lines(page), nodes);
await page.fill('#filter', 'work');
await page.press('#filter', 'Enter');
await page.waitForFunction((n) => document.querySelectorAll('#view tbody tr').length < n, nodes);
is('... with callers of what is wanted', /main/.test(await text(page, '#view tbody')) && !/leaf/.test(await text(page, '#view tbody')), true);
await page.screenshot({ path: `${shots}/three.png` });
await page.click('#tab-flame');
await see('and the flame graph of two of them', page, '#detail', /before 309 samples/);
await page.close();

// ---- two recordings -----------------------------------------------------------------------------

page = await open('', {}, diff);
await see('both are told', page, '#detail', /^all: 709 samples.*before 309 samples/);
await page.focus('.flame canvas');
for (const key of ['ArrowDown', 'ArrowDown'])
	await page.keyboard.press(key);
await see('what changed is said in words', page, '#detail', /work.*85\.63 % of all.*before 99\.84 % · change −14\.20/);
await page.keyboard.press('ArrowRight');
await see('what is new, too', page, '#detail', /again.*before 0\.00 % · change new/);
like('what the colours mean', await text(page, '#legend'), /new.*more.*same.*less/);
await page.screenshot({ path: `${shots}/diff.png` });
await page.selectOption('#sizes', '1');
await see('sizes of the other recording', page, '#detail', /^all: 309 samples.*now 709 samples/);
await page.selectOption('#sizes', '');
await page.click('#tab-functions');
await page.waitForSelector('#sort-change');
await page.click('#sort-change');
await page.waitForFunction(() => document.querySelector('#view tbody tr td:nth-child(5)')?.textContent === 'leaf');
is('functions by change', `${await cell(page, 1, 2)} ${await cell(page, 1, 4)}`, '+21.44 +21.44');
await page.click('#sort-change');
await page.waitForFunction(() => document.querySelector('#view tbody tr td:nth-child(5)')?.textContent === 'work');
is('those that became less first', await cell(page, 1, 2), '−21.37');
is('what may be chance is told from what is not', await page.evaluate(() => {
	const chance = [...document.querySelectorAll('#view .chance')].map((e) => e.textContent || '');
	return `${chance.length > 0} ${chance.some((t) => /2[0-9]\./.test(t))}`;
}), 'true false');
await page.click('.columns summary');
await page.check('#column-noise');
await page.waitForSelector('#sort-noise');
is('... by as much as perf diff says', await page.evaluate(() => {
	const heads = [...document.querySelectorAll('#view thead th')].findIndex((h) => h.querySelector('#sort-noise'));
	const row = [...document.querySelectorAll('#view tbody tr')].find((r) => [...r.children].some((c) => c.textContent === 'leaf'));
	return row?.children[heads]?.textContent;
}), process.env.NOISE);
await page.click('#tab-recording');
await see('both recordings are told', page, '#view .sides', /Compared with.*before\.data.*Of events that the recording has none of10/);
await page.click('#tab-time');
await page.waitForSelector('canvas.time');
await page.click('#tab-tree');
await see('the tree has it', page, '[role=tree]', /99\.99 %0\.00 %\+0\.01.*main/);
await page.click('#tab-branches');
await see('branches say that they are of this recording', page, '#aside', /^This is of the recording itself: nothing of the other one/);
await page.click('#tab-code');
await see('so does code', page, '#aside', /^This is of the recording itself/);
await page.click('#tab-tree');
is('threads to choose are those of this recording', await page.evaluate(() => document.querySelectorAll('#thread option').length), 4);
await page.selectOption('#thread', { index: 1 });
await see('of the other one it is those of the same name', page, '#status', /^\d+ samples/);
await page.close();

// ---- vectors ------------------------------------------------------------------------------------

if (existsSync(simd)) {
	page = await open('#view=simd', {}, simd);
	await see('vectors that are live, by width', page, '#view tbody', /^4\[simd\]100 % zmm100\.0 %/);
	await see('where nothing is known of the code it is said', page, '#simd-sum', /^What instructions do is not known/);
	await page.screenshot({ path: `${shots}/simd.png` });
	await page.close();
} else {
	console.log('# no ../shared/fixtures: no page with vectors');
}

/* What is chosen above is chosen among vectors, too. */
page = await open('#view=simd', {}, vectors);
const widths = () => page.evaluate(() => [...document.querySelectorAll('#view tbody tr')]
	.map((r) => [...r.children].slice(0, 3).map((c) => c.textContent).join(' ')).join('; '));
const only = async (name, want) => {
	await page.waitForFunction((n) => document.querySelectorAll('#view tbody tr').length === n, want.split(';').length);
	is(name, await widths(), want);
};
await only('vectors of all', '20 [lib] 100 % xmm; 20 [other] 50 % zmm, 50 % xmm');
await page.selectOption('#thread', { label: 'wide 10/11' });
await only('of one thread', '20 [other] 50 % zmm, 50 % xmm');
await page.selectOption('#thread', { label: 'narrow 10/10' });
await page.waitForFunction(() => document.querySelector('#view tbody')?.textContent.includes('[lib]'));
await only('of the other', '20 [lib] 100 % xmm');
await page.selectOption('#thread', { label: 'all threads' });
await page.selectOption('#cpu', { label: 'CPU 1' });
await only('of one CPU', '20 [other] 50 % zmm, 50 % xmm');
await page.evaluate(() => { location.hash = '#view=simd&from=152&to=297'; });
await page.waitForFunction(() => document.querySelector('#view tbody')?.textContent.includes('100 % zmm'));
await only('of the second half', '10 [lib] 100 % xmm; 10 [other] 100 % zmm');
await page.evaluate(() => { location.hash = '#view=simd&from=0&to=151'; });
await page.waitForFunction(() => !document.querySelector('#view tbody')?.textContent.includes('zmm'));
await only('of the first', '10 [lib] 100 % xmm; 10 [other] 100 % xmm');
await page.evaluate(() => { location.hash = '#view=simd&filter=OTHER'; });
await only('by name', '20 [other] 50 % zmm, 50 % xmm');
is('where all of it holds nothing is said', await page.locator('#aside').count(), 0);
await page.evaluate(() => { location.hash = '#view=simd&steps=h0'; });
await see('what is hidden is about stacks, and that is said', page, '#aside', /^Focus, ignore and hide are about stacks/);
await only('so that nothing is left out', '20 [lib] 100 % xmm; 20 [other] 50 % zmm, 50 % xmm');
await page.close();

// ---- dark, narrow, contrast ---------------------------------------------------------------------

const contrast = (p) => p.evaluate(() => {
	const rgb = (c) => c.match(/[\d.]+/g).map(Number);
	const light = (c) => {
		const v = rgb(c).slice(0, 3).map((x) => x / 255).map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
		return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
	};
	const ground = (e) => {
		for (let at = e; at; at = at.parentElement) {
			const c = getComputedStyle(at).backgroundColor;
			if ((rgb(c)[3] ?? 1) === 1)
				return c;
		}
		return 'rgb(255, 255, 255)';
	};
	const low = [];
	for (const e of document.querySelectorAll('h1, button, label, td, th, p, dt, dd, caption, #status, li .line, .kind, .object')) {
		if (!e.checkVisibility() || !e.textContent.trim() || e.disabled)
			continue;
		const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
		if ((a + 0.05) / (b + 0.05) < 4.5)
			low.push(`${e.tagName} ${e.textContent.slice(0, 20)} ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
	}
	return low.join(', ');
});
const grounds = [];
for (const colorScheme of ['light', 'dark']) {
	for (const view of ['flame', 'functions', 'tree', 'branches', 'recording']) {
		page = await open(`#view=${view}`, { colorScheme });
		is(`contrast of at least 4.5: ${view}, ${colorScheme}`, await contrast(page), '');
		if (view === 'flame')
			grounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
		await page.screenshot({ path: `${shots}/${view}-${colorScheme}.png` });
		await page.close();
	}
}
told(grounds[0] !== grounds[1], 'dark and light differ', grounds);
page = await open('', { viewport: { width: 390, height: 700 } });
await see('a narrow window', page, '#status', /^709 samples/);
is('does not scroll sideways', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
await page.screenshot({ path: `${shots}/narrow.png` });
// What Tab reaches, from the beginning until it leaves the page.
const reached = [];
for (let i = 0; i < 60; i++) {
	await page.keyboard.press('Tab');
	const id = await page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName);
	if (id === 'BODY')
		break;
	reached.push(id);
}
told(['tab-flame', 'search', 'callers', 'order', 'CANVAS'].every((id) => reached.includes(id)), 'the keyboard reaches everything', reached);
await page.close();

// ---- what branches were asked: tests/data/answers ------------------------------------------------

page = await open('#view=branches', {}, answers);
const tableOf = (title) => page.locator(`h2:text-is("${title}") ~ table, h2:text-is("${title}") ~ div table`).first();
const why = tableOf('Branches, and why they are hard to predict');
await why.waitFor();
like('why branches are hard to predict, row by row', await why.textContent(), /IND_CALL.*2 targets.*alternates|alternates.*2 targets/);
const notes = (await page.locator('p.note').allTextContents()).join('|');
like('what its columns are', notes, /Bits: what there is to guess, 0 = certain, 1 = a coin/);
like('columns that no row has are left out, and named', notes, /Left out, as no row here has any: Mispred, Mispred%, Refill\./);
told(!/Refill/.test(await why.locator('thead').textContent()), 'and are no heads');
const entropies = async () => (await why.locator('tbody tr td:nth-child(5)').allTextContents()).filter((t) => t !== '-').map(Number);
await page.click('[id="sort-branches.6"]');
await page.waitForFunction(() => location.hash.includes('branches.6'));
const sorted = await entropies();
told(sorted.length > 2 && sorted.every((v, i) => !i || v <= sorted[i - 1]), 'by what a head says', sorted);
const targets = await tableOf('Targets of indirect branches').textContent();
told(/7[45]\.\d+%.*often/.test(targets) && /2[45]\.\d+%.*seldom/.test(targets), 'where indirect branches went', targets);
await page.fill('#filter', 'alternates');
await page.keyboard.press('Enter');
await page.waitForFunction(() => document.querySelectorAll('h2 ~ table tbody tr, h2 ~ div table tbody tr').length < 12);
is('with a word alone', (await why.locator('tbody tr').count()), 1);
await page.evaluate(() => { location.hash = '#view=code'; });
await page.waitForSelector('td.marks');
like('and beside instructions', (await page.locator('td.marks').allTextContents()).join('|'), /75% often, 25% seldom/);
await page.close();

// ---- what registers were asked -------------------------------------------------------------------

page = await open('#view=functions', {}, registers);
await page.click('#tab-registers');
const of = (title) => page.locator(`h2:text-is("${title}") ~ div table`).first();
const line = async (t, n) => (await t.locator('tbody tr').nth(n).locator('th, td').allTextContents()).join('|');
await of('Values of ax').waitFor();
is('values of a register, the function and the values in front', await line(of('Values of ax'), 0),
	'99.73%|[.] leaf|0x40 75% 0x80 25% 0x7 0%|4001|4001|75.0%|3|script><b onclick=alert(1)>"&.so');
like('names are text', (await of('Values of ax').locator('tbody').textContent()), /<\/script><script>document\.title="hit".*bidi\\xe2/);
is('no markup came out of them', await page.evaluate(() => document.querySelectorAll('img, b, iframe, object, link, base').length), 0);
like('what columns are, and what they do not prove', (await page.locator('p.note').allTextContents()).join('|'), /Upper: samples with a bit above 127.*at most.*SSE is the most that it can cost/);
like('columns that no row has are named', (await page.locator('p.note').allTextContents()).join('|'), /Left out, as no row here has any: Cycles\./);
is('a row for each function', await of('Values of ax').locator('tbody tr').count(), 12);
await page.click('[id="sort-values.5"]');
await page.waitForFunction(() => location.hash.includes('values.5'));
const shareOf = async () => (await of('Values of ax').locator('tbody tr td:nth-child(6)').allTextContents()).map(parseFloat);
is('by what a head says', (await shareOf()).join(' '), [...await shareOf()].sort((a, b) => b - a).join(' '));
is('heads tell readers', await page.locator('th:has([id="sort-values.5"])').getAttribute('aria-sort'), 'descending');
await page.selectOption('#event', '1');
await page.waitForFunction(() => document.querySelectorAll('#view tbody tr').length === 2);
is('another event has its own', await line(of('Values of ax'), 0), '100.00%|[.] work|0x9 100%|10|10|100.0%|1|script><b onclick=alert(1)>"&.so');
await page.selectOption('#event', '0');
await page.fill('#filter', 'again');
await page.keyboard.press('Enter');
await page.waitForFunction(() => document.querySelectorAll('#view tbody tr').length === 2);
await page.click('#view tbody >> text=again');
await page.waitForSelector('.listing');
is('a function leads to its instructions', await page.inputValue('#function').then((v) => page.evaluate((f) => document.querySelector(`#function option[value="${f}"]`)?.textContent.split(' ')[0], v)), 'again');
await page.goBack();
await page.waitForFunction(() => document.querySelectorAll('#view tbody tr').length === 2);
await page.close();
for (const colorScheme of ['light', 'dark']) {
	page = await open('#view=registers', { colorScheme }, truth);
	is(`contrast of at least 4.5: registers, ${colorScheme}`, await contrast(page), '');
	await page.screenshot({ path: `${shots}/registers-${colorScheme}.png` });
	if (colorScheme === 'light')
		like('of a program whose numbers are known', await of('Numbers in vectors').locator('tbody').textContent(), /83\.33%\[\.\] flushed55.*12\.5%12\.5%25\.0%12\.5%f32100\.0%100\.0%none/);
	await page.close();
}
page = await open('#view=registers', { viewport: { width: 390, height: 700 } }, truth);
await of('Values of zmm1.f32[0]').waitFor();
is('a narrow window does not scroll sideways as a whole', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
await page.screenshot({ path: `${shots}/registers-narrow.png` });
await page.close();
// ---- how good a profile is ------------------------------------------------------------------------

page = await open('#view=functions', {}, truth);
await page.click('#tab-quality');
const found = page.locator('h2:text-matches("^Profile quality: not enough") ~ div table').first();
await found.waitFor();
like('the verdict, and what it rests on', await found.textContent(), /samples, least of functions with 99%.*agreement of every other slice.*bias: no branch stacks/);
like('what to do', await found.textContent(), /record longer, or more often/);
like('what its columns are, and what is not said', (await page.locator('p.note').allTextContents()).join('|'), /that users' work is alike is not said.*Needs x: so many times this recording/);
is('contrast of at least 4.5: quality', await contrast(page), '');
await page.fill('#filter', 'flushed');
await page.keyboard.press('Enter');
await page.waitForFunction(() => document.querySelectorAll('#view tbody tr').length === 1);
await page.click('#view tbody >> text=flushed');
await page.waitForSelector('.listing');
like('a function leads to its instructions', await page.evaluate(() => location.hash), /view=code/);
await page.close();
for (const object of ['one', 'two']) {
	page = await open('#view=quality', {}, twins);
	await page.click(`#view tbody tr:has-text("${object}") >> text=biased`);
	await page.waitForSelector('.listing');
	like(`... of its own object: ${object}`, await page.evaluate(() =>
		document.querySelector('#view select').selectedOptions[0].textContent), new RegExp(`biased \\(${object}\\)`));
	await page.close();
}
page = await open('#view=quality', {}, registers);
await page.waitForSelector('#view tbody tr');
like('names are text there, too', await text(page, '#view'), /document\.title="hit"/);
is('no markup came out of them', await page.evaluate(() => document.querySelectorAll('img, b, iframe, object, link, base').length), 0);
await page.close();
page = await open('#view=quality', { viewport: { width: 390, height: 700 } }, truth);
await page.waitForSelector('#view tbody tr');
is('nor does it scroll sideways in a narrow window', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
await page.close();
page = await open('#view=quality');
is('a page that was not asked has no tab for it', await page.isVisible('#tab-quality'), false);
await page.close();

page = await open('#view=registers');
is('a page without such tables has no tab for them', await page.isVisible('#tab-registers'), false);
await page.close();

is('no error, no message on the console', troubles.join('\n'), '');
is('no request but for the file', [...new Set(requests)].filter((r) => !r.startsWith('file:')).join('\n'), '');
await browser.close();
