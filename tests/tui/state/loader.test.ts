import {expect, test} from 'vitest';
import {createLoader} from '../../../source/tui/state/loader.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const rest = (ms: number) => ({kind: 'rest', ms}) as const;
const steady = (ms: number) => ({kind: 'steady', ms}) as const;

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
	loader.want('a', rest(80));
	clock.advance(79);
	loader.want('b', rest(80));
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
	loader.want('slow', rest(80));
	clock.advance(80);
	loader.want('other', rest(80));
	late.resolve('too late');
	await turn();
	expect(loader.get()).toEqual({status: 'loading', key: 'other'});
	clock.advance(80);
	await turn();
	clock.advance(400);
	await turn();

	expect(loader.get()).toEqual({status: 'missing', key: 'other'});
});

test('what the journal says of the moment before is shown, and looked for once more', async () => {
	const clock = createFakeClock();
	let state = 'running';
	let looks = 0;
	using loader = createLoader({
		clock,
		async load() {
			looks++;
			return state;
		},
		isCurrent: (key, value) => key === value,
	});
	loader.want('done', rest(0));
	clock.advance(0);
	await turn();
	expect(loader.get()).toEqual({status: 'ready', key: 'done', value: 'running'});
	state = 'done';
	clock.advance(400);
	await turn();
	expect(loader.get()).toEqual({status: 'ready', key: 'done', value: 'done'});

	state = 'running';
	loader.want('other', rest(0));
	for (let again = 0; again < 5; again++) {
		clock.advance(400);
		// oxlint-disable-next-line no-await-in-loop -- one look after the other
		await turn();
	}

	expect(looks).toBe(4);
});

test('what the journal learns a moment after the event is found', async () => {
	const clock = createFakeClock();
	const journal = new Map<string, string>();
	using loader = createLoader({clock, load: async key => journal.get(key)});
	loader.want('a', rest(80));
	clock.advance(80);
	await turn();
	expect(loader.get()).toEqual({status: 'loading', key: 'a'});
	journal.set('a', 'A');
	loader.want('a', rest(80));
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
	loader.want('a', rest(80));
	clock.advance(80);
	await turn();
	loader.want('b', rest(80));
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
	loader.want('a', rest(80));
	clock.advance(80);
	await turn();

	expect(loader.get()).toEqual({status: 'failed', key: 'a', reason: 'the journal is closed'});
});

test('somebody who stops to look waits no longer for what is planned already', async () => {
	const clock = createFakeClock();
	using loader = createLoader({clock, load: async key => key});
	loader.want('a', rest(400));
	clock.advance(10);
	loader.want('a', rest(80));
	loader.want('a', rest(400));
	clock.advance(80);
	await turn();

	expect(loader.get()).toEqual({status: 'ready', key: 'a', value: 'a'});
});

test('what never rests is loaded all the same, five times a second at most', async () => {
	const clock = createFakeClock();
	const asked: string[] = [];
	using loader = createLoader({
		clock,
		async load(key) {
			asked.push(key);
			return key;
		},
	});
	for (let event = 0; event < 20; event += 1) {
		loader.want(`e${event}`, steady(200));
		clock.advance(50);
		// oxlint-disable-next-line no-await-in-loop -- one event after the other
		await turn();
	}

	expect(asked).toEqual(['e0', 'e3', 'e7', 'e11', 'e15', 'e19']);
});

test('at five events a second each is loaded as it comes', async () => {
	const clock = createFakeClock();
	using loader = createLoader({clock, load: async key => key});
	for (const key of ['a', 'b', 'c']) {
		loader.want(key, steady(200));
		clock.advance(1);
		// oxlint-disable-next-line no-await-in-loop -- one event after the other
		await turn();
		expect(loader.get()).toEqual({status: 'ready', key, value: key});
		clock.advance(199);
	}
});

test('the last that was found is kept until something else is, also when it came late', async () => {
	const clock = createFakeClock();
	const late = Promise.withResolvers<string>();
	using loader = createLoader({
		clock,
		load: async key => (key === 'a' ? late.promise : undefined),
	});
	loader.want('a', steady(200));
	clock.advance(0);
	loader.want('b', steady(200));
	late.resolve('A');
	await turn();
	expect(loader.get()).toEqual({status: 'loading', key: 'b'});
	expect(loader.last()).toEqual({status: 'ready', key: 'a', value: 'A'});
	loader.want('', steady(200));

	expect(loader.last()).toBeUndefined();
});

test('an answer that comes when nothing is looked at any more is kept nowhere', async () => {
	const clock = createFakeClock();
	const late = Promise.withResolvers<string>();
	using loader = createLoader({clock, load: async () => late.promise});
	loader.want('a', rest(80));
	clock.advance(80);
	loader.want('', rest(80));
	late.resolve('A');
	await turn();

	expect(loader.get()).toEqual({status: 'missing', key: ''});
	expect(loader.last()).toBeUndefined();
});

test('the second look at what was looked at before takes the place of nothing', async () => {
	const clock = createFakeClock();
	const asked: string[] = [];
	const late = Promise.withResolvers<undefined>();
	using loader = createLoader({
		clock,
		async load(key): Promise<string | undefined> {
			asked.push(key);
			return key === 'a' ? late.promise : key.toUpperCase();
		},
	});
	loader.want('a', rest(80));
	clock.advance(80);
	loader.want('b', rest(80));
	late.resolve(undefined);
	await turn();
	clock.advance(80);
	await turn();
	clock.advance(400);
	await turn();

	expect(asked).toEqual(['a', 'b']);
	expect(loader.get()).toEqual({status: 'ready', key: 'b', value: 'B'});
	expect(loader.last()).toEqual({status: 'ready', key: 'b', value: 'B'});
});
