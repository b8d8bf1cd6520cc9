// @module-tag slow
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {isGone} from '../../helpers/processes.ts';
import {type HostileServer, startHostile} from '../servers/hostile-server.ts';
import {remoteServer, startHttp} from '../servers/http-server.ts';
import {ownServer} from '../servers/stdio-server.ts';
import {hiddenIn} from './hidden-in.ts';
import {createJumpClock} from './jump-clock.ts';
import {openManager} from './open-manager.ts';
import {watchMemory} from './watch-memory.ts';

describe('a server that never answers', () => {
	test.for(['silent', 'deaf'])('"connect_timeout": %s over stdio', async manner => {
		const clock = createJumpClock();
		await using managed = await openManager({clock});
		const applied = managed.apply({...ownServer(manner), connectTimeoutMs: 60_000});
		await managed.reached('connecting');
		clock.jump(60_000);
		await applied;

		expect(await managed.reached('failed')).toMatchObject({
			reason: 'It did not connect within 60 s (connect_timeout)',
		});
	});

	test.for(['http', 'sse'] as const)('"connect_timeout": over %s', async transport => {
		const asked = Promise.withResolvers<void>();
		await using http = await startHttp(() => {
			asked.resolve();
		});
		const clock = createJumpClock();
		await using managed = await openManager({clock});
		const applied = managed.apply({
			...remoteServer(http.url, {transport}),
			connectTimeoutMs: 60_000,
		});
		await asked.promise;
		clock.jump(60_000);
		await applied;

		expect(await managed.reached('failed')).toMatchObject({
			reason: 'It did not connect within 60 s (connect_timeout)',
		});
	});
});

describe.for([
	['stdio', /^first$/, /outcome_uncertain/],
	// Several answers in one body are none. On a stream for all, nobody knows whose the large one was.
	['json', /did not answer|not one of a tool server|broke/, /10 MB/],
	['stream', /^first$/, /10 MB/],
	['sse', /^first$/, /outcome_uncertain/],
] as const)('over %s', ([way, ofSeveral, tooLarge]) => {
	let hostile: HostileServer;
	beforeAll(async () => {
		hostile = await startHostile(way);
	});
	afterAll(async () => {
		await hostile[Symbol.asyncDispose]();
	});

	test('"timeout": a call', async () => {
		const clock = createJumpClock();
		await using managed = await openManager({clock});
		await managed.apply({...hostile.server, timeoutMs: 20_000});
		const call = managed.call('silence');
		await managed.until(({activeCalls}) => activeCalls === 1);
		clock.jump(20_000);
		const {text, isError} = await call;

		expect(isError).toBe(true);
		expect(JSON.parse(text).error).toBe(
			'The tool "silence" did not answer within 20 s and was cancelled',
		);
		expect(await managed.call('echo')).toEqual({text: 'hello'});
	});

	test("answers with the numbers of others are nobody's, and the first of several counts", async () => {
		await using managed = await openManager();
		await managed.apply({...hostile.server, timeoutMs: 400});
		const others = await managed.call('others');
		const several = await managed.call('twice');

		expect(others).toMatchObject({isError: true, text: expect.not.stringContaining('not yours')});
		expect(several.text).toMatch(ofSeveral);
		expect(await managed.call('echo')).toEqual({text: 'hello'});
	});

	test('an answer of 20 MB, and a line or an event that never ends: the call fails, the memory stays, later calls work', async () => {
		await using managed = await openManager();
		await managed.apply(hostile.server);
		const memory = watchMemory();
		const result = await managed.call('huge_result');
		const line = await managed.call('huge_line');

		expect(result).toEqual({isError: true, text: expect.stringMatching(tooLarge)});
		expect(line).toEqual({isError: true, text: expect.stringMatching(tooLarge)});
		expect(memory.grownMb()).toBeLessThan(300);
		expect(await managed.call('echo')).toEqual({text: 'hello'});
	});

	test('what is below the limit is cut to head and tail, clean', async () => {
		await using managed = await openManager();
		await managed.apply(hostile.server);
		const {text} = await managed.call('large_result');

		expect(Buffer.byteLength(text)).toBeLessThan(400_100);
		expect([text.startsWith('head '), text.endsWith(' tail')]).toEqual([true, true]);
		expect(hiddenIn(text)).toEqual([]);
	});
});

test('answers of shapes that do not exist, and errors full of control characters, are errors in clean words', async () => {
	await using hostile = await startHostile('stdio');
	await using managed = await openManager();
	await managed.apply(hostile.server);
	const shapes = await managed.call('shapes');
	const error = await managed.call('error');

	expect([shapes.isError, error.isError]).toEqual([true, true]);
	expect(hiddenIn([shapes, error])).toEqual([]);
	expect(error.text.length).toBeLessThan(5000);
	expect((await managed.call('empty')).text).not.toBe('');
	expect(hiddenIn(managed.view())).toEqual([]);
});

describe('processes', () => {
	test('one that exits at once says why in the status', async () => {
		await using managed = await openManager({environment: {TOKEN: 'correct-horse-battery'}});
		await managed.apply(ownServer('crash', {extra: '${TOKEN}'}));

		expect(managed.view()).toMatchObject({
			status: 'failed',
			reason: 'It exited with code 3: cannot open the database with [redacted]',
		});
	});

	test('secrets on standard error, in answers and in names are hidden everywhere', async () => {
		const secret = 'correct-horse-battery';
		await using managed = await openManager({environment: {TOKEN: secret}});
		await managed.apply(ownServer('noisy', {extra: '${TOKEN}', env: {API_TOKEN: '${TOKEN}'}}));
		const about = await managed.call('about');
		await managed.until(({stderr}) => stderr !== undefined);
		await managed.manager.disconnect('crm');

		expect(about.text).toContain('[redacted]');
		expect(managed.view().stderr).toContain('red');
		const log = await managed.home.read('logs/mcp-stderr.log');
		expect(log).toContain('[crm]');
		for (const text of [about.text, log, JSON.stringify([managed.view(), managed.records])]) {
			expect(text).not.toContain(secret);
			expect(hiddenIn(text)).toEqual([]);
		}
	});

	test('"ended as a group": one that ignores SIGTERM, and one whose child does so and holds its pipes, are gone with all of theirs', async () => {
		await using managed = await openManager();
		const names = ['stubborn', 'held'];
		await managed.apply(...names.map(name => ({...ownServer(name), name})));
		const families = await Promise.all(
			names.map(async name => {
				const {pid, child} = JSON.parse((await managed.call(`mcp__${name}__about`)).text);
				return [pid, child];
			}),
		);
		expect(families.flat().map(isGone)).toEqual([false, false, false, false]);
		await Promise.all(names.map(async name => managed.manager.disconnect(name)));

		expect(families.flat().map(isGone)).toEqual([true, true, true, true]);
	});
});
