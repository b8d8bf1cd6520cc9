// @module-tag slow
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type HostileServer, startHostile} from '../servers/hostile-server.ts';
import {hiddenIn} from './hidden-in.ts';
import {createJumpClock} from './jump-clock.ts';
import {openManager} from './open-manager.ts';
import {watchMemory} from './watch-memory.ts';

describe.for(['stdio', 'stream', 'sse'] as const)('floods over %s', way => {
	let hostile: HostileServer;
	beforeAll(async () => {
		hostile = await startHostile(way);
	});
	afterAll(async () => {
		await hostile[Symbol.asyncDispose]();
	});

	test('of notifications and lines that are no messages: the answer comes, the memory stays', async () => {
		await using managed = await openManager();
		await managed.apply(hostile.server);
		const memory = watchMemory();
		const lines: string[] = [];
		const notified = await managed.call(
			'notifications',
			{},
			{onProgress: text => lines.push(text)},
		);
		const junk = await managed.call('lines');

		expect([notified, junk]).toEqual([{text: 'enough'}, {text: 'enough'}]);
		expect(lines.length).toBeGreaterThan(0);
		expect(lines.length).toBeLessThan(200);
		expect(hiddenIn(lines)).toEqual([]);
		expect(memory.grownMb()).toBeLessThan(300);
		expect(managed.records.length).toBeLessThan(200);
	});

	test('of questions to our model: 10 in a minute are asked, every other one is refused', async () => {
		await using managed = await openManager({
			sample: async () => ({text: 'yes', model: 'svc-offline-1'}),
		});
		await managed.apply(hostile.server);

		expect(await managed.call('models')).toEqual({text: '150 answers'});
		expect(managed.asked).toHaveLength(10);
		expect(managed.asked.every(({maxTokens}) => maxTokens <= 4096)).toBe(true);
	});

	test('of forms: 5 wait for a person, every other one is cancelled; the time of the call stands still meanwhile', async () => {
		const person = Promise.withResolvers<{action: 'decline'}>();
		const clock = createJumpClock();
		await using managed = await openManager({
			clock,
			elicit: async () => person.promise,
		});
		await managed.apply({...hostile.server, timeoutMs: 60_000});
		const settled = Promise.withResolvers<void>();
		const call = managed.call('forms', {}, {onProgress: () => settled.resolve()});
		await settled.promise;
		clock.jump(300_000);
		person.resolve({action: 'decline'});

		expect(await call).toEqual({text: '150 answers'});
		expect(managed.forms).toHaveLength(5);
		const shown = managed.forms.map(({message, fields}) => [
			message,
			fields.map(({title, description}) => [title, description]),
		]);
		expect(hiddenIn(shown)).toEqual([]);
	});

	test('of questions that we never offered to answer: each is refused', async () => {
		await using managed = await openManager();
		await managed.apply(hostile.server);

		expect(await managed.call('unknown')).toEqual({text: '150 answers'});
	});
});
