import {OAuthError} from '@modelcontextprotocol/client';
import {expect, test} from 'vitest';
import {pollForGrant} from '../../../source/mcp/logins/device/poll-for-grant.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const busy = new TypeError('fetch failed');

/** Polls with answers by number, and says when each was asked for, in seconds, and how it ended. */
async function polled(
	answers: ReadonlyArray<string | Error>,
	{lifetime = 60, timeout = 300, interval = 5} = {},
) {
	const clock = createFakeClock();
	const at: number[] = [];
	const told: Array<readonly [times: number, answer: string, pause: number]> = [];
	const result = pollForGrant(
		{intervalMs: interval * 1000, lifetimeMs: lifetime * 1000},
		{
			clock,
			timeoutMs: timeout * 1000,
			signal: new AbortController().signal,
			async ask() {
				const answer = answers[at.length] ?? 'authorization_pending';
				at.push(clock.monotonic() / 1000);
				if (answer === 'granted') {
					return answer;
				}

				throw typeof answer === 'string' ? new OAuthError(answer, answer) : answer;
			},
			isPassing: error => error === busy,
			onAsked({times, answer, pauseMs}) {
				told.push([times, answer, pauseMs / 1000]);
			},
		},
	);
	const turns = setInterval(() => {
		clock.advance(1000);
	});
	const ended = await result;
	clearInterval(turns);
	return {at, ended, told};
}

test('"honours authorization_pending": asks again at the same pace', async () => {
	expect(await polled(['authorization_pending', 'authorization_pending', 'granted'])).toMatchObject(
		{
			at: [5, 10, 15],
			ended: {grant: 'granted'},
		},
	);
});

test('"honours slow_down": each adds 5 s, for good', async () => {
	const {at, told} = await polled(['slow_down', 'authorization_pending', 'slow_down', 'granted']);

	expect(at).toEqual([5, 15, 25, 40]);
	expect(told).toEqual([
		[1, 'slower', 10],
		[2, 'pending', 10],
		[3, 'slower', 15],
	]);
});

test.for([
	['access_denied', 'denied'],
	['expired_token', 'expired'],
	['invalid_grant', 'refused'],
] as const)('"stops on denial or expiry": %s', async ([code, ended]) => {
	const result = await polled(['authorization_pending', code]);

	expect(result.at).toEqual([5, 10]);
	expect(result.ended).toMatchObject({ended});
});

test('"wait limited by the code lifetime": nobody is asked after its end', async () => {
	expect(await polled([], {lifetime: 12})).toMatchObject({at: [5, 10], ended: {ended: 'expired'}});
});

test('"oauth.timeout": the shorter one counts', async () => {
	expect(await polled([], {lifetime: 60, timeout: 12})).toMatchObject({
		at: [5, 10],
		ended: {ended: 'late'},
	});
});

test('a network that fails for a moment doubles the pause and ends nothing', async () => {
	const {at, ended} = await polled([busy, busy, 'granted']);

	expect(at).toEqual([5, 15, 35]);
	expect(ended).toEqual({grant: 'granted'});
});
