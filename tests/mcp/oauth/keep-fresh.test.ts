import {setImmediate} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {silentLogger} from '../../../source/core/log.ts';
import type {StoredTokens} from '../../../source/mcp/oauth/grant-files.ts';
import {dueAt, keepFresh} from '../../../source/mcp/oauth/keep-fresh.ts';
import {ConnectError} from '../../../source/mcp/wire/connect-error.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const tokens = (issued: number, lifetime: number, access = 'a'): StoredTokens => ({
	access_token: access,
	token_type: 'Bearer',
	refresh_token: 'r',
	issued_at: issued,
	expires_at: issued + lifetime,
});

/** Keeps tokens fresh for so many seconds, a second at a time, and says when they were renewed. */
async function renewals(
	forSeconds: number,
	stored: {tokens: StoredTokens | undefined},
	renew: (at: number) => void,
): Promise<readonly number[]> {
	const clock = createFakeClock();
	const at: number[] = [];
	const stop = new AbortController();
	const over = keepFresh(
		{tokens: async () => stored.tokens, markDue() {}},
		{
			clock,
			log: silentLogger,
			server: 'crm',
			async renew() {
				at.push(clock.now() / 1000);
				renew(clock.now() / 1000);
			},
			signal: stop.signal,
		},
	);
	for (let second = 0; second < forSeconds; second++) {
		await setImmediate();
		clock.advance(1000);
	}

	stop.abort();
	await over;
	expect(clock.timersLeft).toBe(0);
	return at;
}

test('"renewed before its end, at the latest at four fifths of its lifetime", again and again', async () => {
	const stored = {tokens: tokens(0, 100)};

	const at = await renewals(250, stored, now => {
		stored.tokens = tokens(now, 100, String(now));
	});

	expect(at).toEqual([80, 160, 240]);
});

test('what another process has renewed is not renewed again', async () => {
	const stored = {tokens: tokens(0, 200)};
	const at = renewals(250, stored, () => {});
	stored.tokens = tokens(0, 1000, 'newer');

	expect(await at).toEqual([]);
});

test.for([
	['without an end', {...tokens(0, 10), expires_at: undefined}],
	['without anything to renew with', {...tokens(0, 10), refresh_token: undefined}],
])('tokens %s are left alone', async ([, stored]) => {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as files may hold them
	expect(await renewals(100, {tokens: stored as StoredTokens}, () => {})).toEqual([]);
});

test('a failure that may pass is tried again before the end, one for good is not', async () => {
	const passing = await renewals(100, {tokens: tokens(0, 100)}, () => {
		throw new Error('503');
	});
	expect(passing[0]).toBe(80);
	expect(passing.length).toBeGreaterThan(2);
	expect(passing.length).toBeLessThan(6);

	const final = await renewals(130, {tokens: tokens(0, 100)}, () => {
		throw new ConnectError({kind: 'needs-login', message: 'no'});
	});
	expect(final).toEqual([80]);
});

test('tokens that live for a moment do not make this program ask without a pause', async () => {
	const stored = {tokens: tokens(0, 0)};

	const at = await renewals(10, stored, now => {
		stored.tokens = tokens(now, 0, String(now));
	});

	expect(at.length).toBeLessThanOrEqual(11);
});

test('of tokens whose beginning is not known, the last minute is their end', () => {
	const {issued_at: _, ...old} = tokens(0, 1000);

	expect(dueAt(old)).toBe(940_000);
});
