import {describe, expect, test} from 'vitest';
import type {Use, UseTwo} from './contract.ts';
import {acceptRun, sampleEntry, startMs} from './samples.ts';

const minuteMs = 60_000;

const hook = {profile: 'default', route: 'hook'};
const other = {profile: 'default', route: 'other'};

/** What may be used in a time, or at once. */
export function describeLimits(name: string, use: Use, useTwo: UseTwo): void {
	describe(`${name}: limits`, () => {
		test(
			'a window of a minute lets as many pass as its limit says, whichever gateway they come to',
			useTwo(async (store, beside, clock) => {
				const passed = {ok: true, count: 1, retryAfterSeconds: 60};
				expect(await store.limits.windows.take(hook, 2)).toEqual(passed);
				expect(await store.limits.windows.take(other, 2)).toEqual(passed);
				clock.advance(10_000);
				expect(await beside.limits.windows.take(hook, 2)).toMatchObject({ok: true, count: 2});
				const refused = {ok: false, count: 3, retryAfterSeconds: 50};
				expect(await beside.limits.windows.take(hook, 2)).toEqual(refused);
				expect(await store.limits.windows.take(hook, 2)).toEqual(refused);
				clock.advance(50_000);
				expect(await store.limits.windows.take(hook, 2)).toMatchObject({ok: true, count: 1});
			}),
		);

		test(
			'what is used of a window is told without using any',
			use(async ({limits: {windows}}, clock) => {
				expect(await windows.used(hook)).toEqual({used: 0, endsInMs: 0});
				await windows.take(hook, 2);
				clock.advance(10_000);
				await windows.take(hook, 2);
				expect((await windows.take(hook, 2)).ok).toBe(false);
				expect(await windows.used(hook)).toEqual({used: 2, endsInMs: 50_000});
				clock.advance(50_000);
				expect(await windows.used(hook)).toEqual({used: 0, endsInMs: 0});
			}),
		);

		test(
			'starts of a pace follow each other, whichever gateway promises them; a start that is given back is the next one’s, unless a later one was kept',
			useTwo(async ({limits: {paces}}, {limits: {paces: beside}}) => {
				expect(await paces.enter(hook, 1)).toBe(1);
				expect(await beside.enter(hook, 1)).toBeUndefined();
				const first = await paces.promise(hook, 1);
				const second = await beside.promise(hook, 1);
				const third = await paces.promise(hook, 1);
				expect([first.inMs, second.inMs, third.inMs]).toEqual([60_000, 120_000, 180_000]);
				await first.keep();
				await second.giveBack();
				await third.giveBack();
				const fourth = await beside.promise(hook, 1);
				expect(fourth.inMs).toBe(120_000);

				const fifth = await paces.promise(hook, 1);
				await fourth.giveBack();
				await fifth.keep();
				expect((await beside.promise(hook, 1)).inMs).toBe(240_000);
			}),
		);

		test(
			'of a pace, the latest promised start is told, too',
			use(async ({limits: {paces}}, clock) => {
				expect(await paces.used(hook, 1)).toEqual({used: 0, endsInMs: 0});
				await paces.enter(hook, 1);
				expect(await paces.used(hook, 1)).toEqual({used: 1, endsInMs: 60_000});
				await (await paces.promise(hook, 1)).keep();
				await (await paces.promise(hook, 1)).keep();
				clock.advance(5000);
				const used = {used: 1, endsInMs: 55_000, promisedInMs: 115_000};
				expect(await paces.used(hook, 1)).toEqual(used);
				clock.advance(200_000);
				expect(await paces.used(hook, 1)).toEqual({used: 0, endsInMs: 0});
			}),
		);

		test(
			'after the opening, starts of a route come behind those that were promised before and still wait',
			use(async (store, clock, home) => {
				const accept = async (route: string, dueAt: number) =>
					acceptRun(store, sampleEntry({route}, {dueAt}));
				await accept('hook', startMs + 3 * minuteMs);
				await accept('hook', startMs + minuteMs);
				await store.runs.cancel(await accept('other', startMs + minuteMs));
				await using copy = await home.crash();
				clock.advance(minuteMs);
				await using reopened = await copy.open(clock);
				const {paces} = reopened.limits;
				expect(await paces.used(hook, 1)).toMatchObject({promisedInMs: 2 * minuteMs});
				expect((await paces.promise(hook, 1)).inMs).toBe(3 * minuteMs);
				expect(await paces.enter(other, 1)).toBe(1);
			}),
		);

		test(
			'a key has so many places at once and a bucket of requests that fills evenly; what is refused uses neither',
			use(async ({limits: {keys}}, clock) => {
				const bounds = {rpm: 2, parallel: 1};
				const taken = {kind: 'taken'};
				expect(await keys.take('a', bounds)).toEqual(taken);
				expect(await keys.take('a', bounds)).toEqual({kind: 'parallel', most: 1, retryMs: 1000});
				expect(await keys.take('a', bounds, () => undefined)).toEqual({kind: 'denied'});
				keys.release('a', 0);
				expect(await keys.take('a', bounds, () => undefined)).toEqual({kind: 'denied'});
				expect(keys.left('a', 2)).toEqual({requests: 1, resetMs: 30_000});
				expect(await keys.take('a', bounds)).toEqual(taken);
				keys.release('a', 0);
				expect(await keys.take('a', bounds)).toEqual({kind: 'rpm', most: 2, retryMs: 30_000});
				expect(await keys.take('b', bounds)).toEqual(taken);
				clock.advance(30_000);
				expect(await keys.take('a', bounds)).toEqual(taken);
			}),
		);

		test(
			'tokens are held for the requests of a key under way; a key that is forgotten holds none, whatever its last request gives back',
			use(async ({limits: {keys}}) => {
				await keys.take('a', {parallel: 1}, () => 50);
				// What is refused holds nothing.
				await keys.take('a', {parallel: 1}, () => 7);
				keys.hold('a', 15);
				keys.hold('a', -20);
				expect([keys.held('a'), keys.held('b')]).toEqual([45, 0]);
				keys.forget('a');
				keys.hold('a', -45);
				keys.release('a', 9);
				expect(keys.held('a')).toBe(0);
				expect(await keys.take('a', {parallel: 1})).toEqual({kind: 'taken'});
				expect(await keys.take('a', {parallel: 1})).toMatchObject({kind: 'parallel'});
			}),
		);

		test(
			'requests of a key are bounded over all gateways, and what others hold counts when one is let in',
			useTwo(async ({limits: {keys}}, {limits: {keys: beside}}) => {
				const bounds = {rpm: 3, parallel: 2};
				const taken = {kind: 'taken'};
				expect(await keys.take('a', bounds, () => 40)).toEqual(taken);
				const seen: number[] = [];
				const claim = () => {
					seen.push(beside.held('a'));
					return 2;
				};
				expect(await beside.take('a', bounds, claim)).toEqual(taken);
				expect(seen).toEqual([40]);
				expect(await keys.take('a', bounds, () => 0)).toMatchObject({kind: 'parallel', most: 2});
				expect(keys.held('a')).toBe(42);
				keys.release('a', 0);
				expect(await keys.take('a', bounds)).toEqual(taken);
				keys.release('a', 0);
				expect(await keys.take('a', bounds)).toMatchObject({kind: 'rpm', most: 3});
			}),
		);
	});
}
