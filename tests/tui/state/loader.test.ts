import {expect, test} from 'vitest';
import {createLoader} from '../../../source/tui/state/loader.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const turn = async () =>
	new Promise(resolve => {
		setImmediate(resolve);
	});

test('only what is still wanted when the delay is over is loaded', async () => {
	const clock = createFakeClock();
	const loaded: string[] = [];
	using loader = createLoader({
		clock,
		async load(key) {
			loaded.push(key);
			return key.toUpperCase();
		},
	});
	loader.want('a', 80);
	clock.advance(79);
	loader.want('b', 80);
	clock.advance(79);
	expect(loaded).toEqual([]);
	expect(loader.get()).toEqual({status: 'loading', key: 'b'});
	clock.advance(1);
	await turn();

	expect(loaded).toEqual(['b']);
	expect(loader.get()).toEqual({status: 'ready', key: 'b', value: 'B'});
});

test('an answer that comes after something else is wanted is dropped', async () => {
	const clock = createFakeClock();
	const late = Promise.withResolvers<string>();
	using loader = createLoader({
		clock,
		load: async key => (key === 'slow' ? late.promise : undefined),
	});
	loader.want('slow', 80);
	clock.advance(80);
	loader.want('other', 80);
	late.resolve('too late');
	await turn();
	expect(loader.get()).toEqual({status: 'loading', key: 'other'});
	clock.advance(80);
	await turn();
	clock.advance(400);
	await turn();

	expect(loader.get()).toEqual({status: 'missing', key: 'other'});
});

test('what the journal learns a moment after the event is found', async () => {
	const clock = createFakeClock();
	const journal = new Map<string, string>();
	using loader = createLoader({clock, load: async key => journal.get(key)});
	loader.want('a', 80);
	clock.advance(80);
	await turn();
	expect(loader.get()).toEqual({status: 'loading', key: 'a'});
	journal.set('a', 'A');
	loader.want('a', 80);
	clock.advance(400);
	await turn();

	expect(loader.get()).toEqual({status: 'ready', key: 'a', value: 'A'});
});

test('what is missing is looked for twice and no more, and not when something else is wanted', async () => {
	const clock = createFakeClock();
	const asked: string[] = [];
	using loader = createLoader({
		clock,
		async load(key): Promise<string | undefined> {
			asked.push(key);
			return undefined;
		},
	});
	loader.want('a', 80);
	clock.advance(80);
	await turn();
	loader.want('b', 80);
	clock.advance(80);
	await turn();
	for (let look = 0; look < 3; look += 1) {
		clock.advance(400);
		// oxlint-disable-next-line no-await-in-loop -- one look after the other
		await turn();
	}

	expect(asked).toEqual(['a', 'b', 'b']);
	expect(loader.get()).toEqual({status: 'missing', key: 'b'});
});

test('a failure is a state with its reason', async () => {
	const clock = createFakeClock();
	using loader = createLoader({
		clock,
		async load(): Promise<string> {
			throw new Error('the journal is closed');
		},
	});
	loader.want('a', 80);
	clock.advance(80);
	await turn();

	expect(loader.get()).toEqual({status: 'failed', key: 'a', reason: 'the journal is closed'});
});

test('somebody who stops to look waits no longer for what is planned already', async () => {
	const clock = createFakeClock();
	using loader = createLoader({clock, load: async key => key});
	loader.want('a', 400);
	clock.advance(10);
	loader.want('a', 80);
	loader.want('a', 400);
	clock.advance(80);
	await turn();

	expect(loader.get()).toEqual({status: 'ready', key: 'a', value: 'a'});
});
