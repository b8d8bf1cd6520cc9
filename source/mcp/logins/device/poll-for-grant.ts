import {OAuthError} from '@modelcontextprotocol/client';
import {type Clock, sleep} from '../../../core/clock.ts';
import type {LoginPolling} from '../../../core/logins.ts';
import type {DeviceCode} from './ask-for-code.ts';

/** The result of polling: the grant, or why there is none. */
export type Polled<Grant> =
	| {readonly grant: Grant}
	| {readonly ended: 'denied' | 'expired' | 'late' | 'refused'; readonly error?: unknown};

/** How much `slow_down` adds to the interval. @see RFC 8628 §3.5 */
const slowerMs = 5000;

const maxIntervalMs = 60_000;

/**
 * Polls whether the person has approved, at the server's pace, until there is a decision or time is up. Transient failures of network or server only slow it down.
 *
 * @param ask polls once; rejects with an OAuthError if the server refuses
 * @see RFC 8628 §3.5
 */
export async function pollForGrant<Grant>(
	{intervalMs, lifetimeMs}: Pick<DeviceCode, 'intervalMs' | 'lifetimeMs'>,
	{
		clock,
		timeoutMs,
		signal,
		ask,
		isPassing,
		onAsked,
	}: {
		readonly clock: Clock;
		/** The longest time to wait for the person. */
		readonly timeoutMs: number;
		readonly signal: AbortSignal;
		readonly ask: () => Promise<Grant>;
		/** Whether an error is transient: the server was not reached, or could not answer. */
		readonly isPassing: (error: unknown) => boolean;
		/** Called after each poll without a decision. */
		readonly onAsked: (polling: LoginPolling) => void;
	},
): Promise<Polled<Grant>> {
	const endsAt = clock.monotonic() + Math.min(lifetimeMs, timeoutMs);
	const isExpiry = lifetimeMs <= timeoutMs;
	let pauseMs = intervalMs;
	let times = 0;
	for (;;) {
		const leftMs = endsAt - clock.monotonic();
		// oxlint-disable-next-line no-await-in-loop -- that is what polling is
		await sleep(clock, Math.max(0, Math.min(pauseMs, leftMs)), signal);
		if (pauseMs >= leftMs) {
			return {ended: isExpiry ? 'expired' : 'late'};
		}

		try {
			// oxlint-disable-next-line no-await-in-loop -- see above
			return {grant: await ask()};
		} catch (error) {
			signal.throwIfAborted();
			const verdict = judge(error, isPassing);
			if (verdict !== 'pending' && verdict !== 'slower' && verdict !== 'passing') {
				return {ended: verdict, error};
			}

			pauseMs = nextPauseMs[verdict](pauseMs);
			times += 1;
			onAsked({
				times,
				askedAt: clock.now(),
				answer: verdict === 'passing' ? 'unreachable' : verdict,
				pauseMs,
			});
		}
	}
}

type Verdict = 'pending' | 'slower' | 'passing' | 'denied' | 'expired' | 'refused';

const verdicts: Readonly<Record<string, Verdict>> = {
	authorization_pending: 'pending',
	slow_down: 'slower',
	access_denied: 'denied',
	expired_token: 'expired',
};

const nextPauseMs: Readonly<Record<'pending' | 'slower' | 'passing', (pauseMs: number) => number>> =
	{
		pending: pauseMs => pauseMs,
		slower: pauseMs => pauseMs + slowerMs,
		passing: pauseMs => Math.max(pauseMs, Math.min(pauseMs * 2, maxIntervalMs)),
	};

function judge(error: unknown, isPassing: (error: unknown) => boolean): Verdict {
	const known =
		error instanceof OAuthError && Object.hasOwn(verdicts, error.code)
			? verdicts[error.code]
			: undefined;
	return known ?? (isPassing(error) ? 'passing' : 'refused');
}
