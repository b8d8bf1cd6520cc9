import {sleep} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {World} from '../../core/world.ts';
import {ConnectError} from '../wire/connect-error.ts';
import type {StoredTokens} from './grant-files.ts';
import type {Grant} from './grant.ts';

/** The longest pause between checks: another process may renew the tokens, or the wall clock may jump. */
const maxSleepMs = 60_000;

/** The shortest pause between checks, even for very short lifetimes. */
const minSleepMs = 1000;

/** The shortest pause after a transient failure. */
const minRetryMs = 5000;

/** The fraction of its lifetime after which a token is renewed. */
const dueFraction = 0.8;

/** How long before expiry tokens without a known time of issue are renewed, in milliseconds. */
const aheadMs = 60_000;

/** When to renew tokens, in milliseconds since 1970; `undefined`: never, because they do not expire, or cannot be refreshed. */
export function dueAt({
	issued_at: issued,
	expires_at: expires,
	refresh_token: refresh,
}: StoredTokens): number | undefined {
	if (expires === undefined || refresh === undefined) {
		return undefined;
	}

	return issued === undefined
		? expires * 1000 - aheadMs
		: (issued + Math.max(0, expires - issued) * dueFraction) * 1000;
}

/** How long a request may be in transit: a token that expires within this time may be expired on arrival. */
const onTheWayMs = 10_000;

/**
 * Whether tokens must be renewed before they are used again: they have expired, or could in transit. Never true right after they were issued. `now`: milliseconds
 * since 1970
 */
export function isOver(tokens: StoredTokens, now: number): boolean {
	const {issued_at: issued = 0, expires_at: expires = 0} = tokens;
	const due = dueAt(tokens);
	return (
		due !== undefined &&
		now >= Math.max(due, expires * 1000 - onTheWayMs) &&
		// Times are whole seconds.
		now - issued * 1000 >= 2 * minSleepMs
	);
}

/**
 * Renews a grant's tokens before they expire, used or not, until `signal` aborts. Never rejects: a permanent refusal shows at the next use.
 *
 * @param renew asks for new tokens, unless another process has got them meanwhile
 */
export async function keepFresh(
	grant: Pick<Grant, 'tokens' | 'markDue'>,
	world: Pick<World, 'clock' | 'log'> & {
		readonly server: string;
		readonly renew: () => Promise<unknown>;
		readonly signal: AbortSignal;
	},
): Promise<void> {
	const {clock, log, server, renew, signal} = world;
	while (!signal.aborted) {
		// oxlint-disable-next-line no-await-in-loop -- a look, then a pause
		const pauseMs = await look();
		// oxlint-disable-next-line no-await-in-loop -- see above
		await sleep(clock, pauseMs, signal).catch(() => {});
	}

	/** Renews tokens that are due. Returns how long to wait. */
	async function look(): Promise<number> {
		const tokens = await grant.tokens().catch(() => undefined);
		const due = tokens && dueAt(tokens);
		if (!tokens || due === undefined) {
			return maxSleepMs;
		}

		const leftMs = due - clock.now();
		if (leftMs > 0) {
			return Math.min(Math.max(leftMs, minSleepMs), maxSleepMs);
		}

		grant.markDue(tokens.access_token);
		try {
			await renew();
			return minSleepMs;
		} catch (error) {
			if (signal.aborted) {
				return 0;
			}

			const isFinal = error instanceof ConnectError && error.failure.kind === 'needs-login';
			log[isFinal ? 'warn' : 'debug']('A login could not be renewed before its end', {
				server,
				error: messageOf(error),
			});
			const endsInMs = (tokens.expires_at ?? 0) * 1000 - clock.now();
			return isFinal ? maxSleepMs : Math.min(Math.max(endsInMs / 4, minRetryMs), maxSleepMs);
		}
	}
}
