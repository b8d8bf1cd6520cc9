// @module-tag slow
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import type {Clock} from '../../../source/core/clock.ts';
import {createPageReader} from '../../../source/tools/web/read-page.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const signal = new AbortController().signal;

const url = new URL('http://site.example/');

const page = (body: string) => ({
	asked: url,
	url,
	status: 200,
	type: 'text/html',
	isText: true,
	body: Buffer.from(body),
});

const about = {maxLength: 1000, signal};

/** A clock on which the time for each page is over as soon as its thread was started. */
const hasty: Clock = {
	...createFakeClock(),
	after(delayMs, callback) {
		expect(delayMs).toBe(5000);
		queueMicrotask(callback);
		return () => {};
	},
};

test('the thread of a page ends at its deadline, and the next page is read', async () => {
	const [late, next] = await Promise.allSettled([
		createPageReader(hasty)(page('<p>a'), about),
		createPageReader(createFakeClock())(page('<p>b'), about),
	]);

	expect(late).toMatchObject({
		reason: {name: 'PageRefused', message: 'the page cannot be read: it needs more than 5 s'},
	});
	expect(next).toMatchObject({value: {text: 'b'}});
});

test('a page that is left while it waits holds up neither its run nor another one', async () => {
	const run = new AbortController();
	const clock = createFakeClock();
	const read = createPageReader(clock);
	const first = read(page('<p>a'), about);
	const left = read(page('<p>b'), {...about, signal: run.signal}).catch((error: unknown) => error);
	const last = read(page('<p>c'), about);
	run.abort('left');

	expect(await left).toBe('left');
	expect((await first).text).toBe('a');
	expect((await last).text).toBe('c');
	expect(clock.timersLeft).toBe(0);
});

test('a page of a run waits for one page of another run at most', async () => {
	const order: string[] = [];
	const clock = createFakeClock();
	const [one, other] = [createPageReader(clock), createPageReader(clock)];
	const ended = async (name: string, read: typeof one) => {
		await read(page(`<p>${name}`), about);
		order.push(name);
	};

	await Promise.all([ended('a1', one), ended('a2', one), ended('a3', one), ended('b1', other)]);

	expect(order).toEqual(['a1', 'b1', 'a2', 'a3']);
});

test('the thread of a page ends at its limit of memory, and the process goes on', async () => {
	const readerUrl = new URL('../../../source/tools/web/read-page.ts', import.meta.url).href;
	// Far beyond the bound of a body: each entity of an attribute costs 32 bytes.
	const program = `
		import {createPageReader} from '${readerUrl}';
		const body = Buffer.from(('<img alt=' + '&lt;'.repeat(1000) + '>').repeat(11_000));
		const page = {url: new URL('http://site.example/'), status: 200, type: 'text/html', body};
		const about = {maxLength: 1000, signal: new AbortController().signal};
		await createPageReader({after: () => () => {}})(page, about).catch(error => {
			console.log(error.message);
		});`;

	// A process of its own: the flags of this one let a thread take more than its limits say.
	const {stdout} = await promisify(execFile)(process.execPath, [
		'--input-type=module',
		'--eval',
		program,
	]);

	expect(stdout).toBe('the page cannot be read: it needs too much memory\n');
});
