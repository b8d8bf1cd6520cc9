import {within} from '../core/clock.ts';
import {createMutex} from '../core/mutex.ts';
import {
	createAsk,
	leftOf,
	textAt,
	type PlatformCall,
	type Ask,
	type AskLimits,
	type AskOptions,
	type Judged,
} from './ask.ts';
import {DeliveryError, platformFailure} from './delivery-error.ts';
import type {SenderWorld} from './target-kind.ts';

/** How long before its expiry a token is replaced, milliseconds: a request takes up to 30 s. */
const tokenMarginMs = 60_000;

/**
 * `Ask` for an app that logs in. The token is requested when needed, kept until a minute before its expiry, redacted in logs, and replaced once when an answer refuses it.
 * Logins are serialised: concurrent requests share the token. `ask` and `logIn` reject with `target_invalid` when there is no login.
 */
export function createAppAsk(
	world: Pick<SenderWorld, 'clock' | 'hide' | 'post'>,
	{
		login,
		lacks,
		isRefused,
		...options
	}: Omit<AskOptions, 'again' | 'headers'> & {
		readonly login:
			| {
					/** Creates the request for a token, which must have `sendsNothing`. */
					readonly request: () => Promise<PlatformCall>;
					/** Members of the answer: the token, and its lifetime in seconds. */
					readonly token: string;
					readonly seconds: string;
			  }
			| undefined;
		/** The message without a login: `a space needs platforms.googlechat.service_account`. */
		readonly lacks: string;
		/** Whether an answer refuses the token. */
		readonly isRefused: (answer: Judged) => boolean;
	},
): {readonly ask: Ask; readonly logIn: (limits: AskLimits) => Promise<unknown>} {
	const {platform, judge} = options;
	const {clock, hide} = world;
	const inTurn = createMutex();
	let kept: {readonly authorization: string; readonly until: number} | undefined;
	const askLogin = createAsk(world, {
		...options,
		refusalIs: 'platform_unauthorized',
		judge(answer, request) {
			const judgement = judge(answer, request);
			const isToken = login !== undefined && textAt(answer.json, login.token) !== '';
			return isToken || (judgement !== true && judgement);
		},
	});
	const sayNo = (why: string) => `Cannot send to ${platform}: ${why}`;

	const authorizationBut = (refused: string | undefined): string | undefined =>
		kept && kept.authorization !== refused && clock.now() < kept.until
			? kept.authorization
			: undefined;

	/** Returns the `Authorization` header for a token other than `refused`. */
	const logIn = async (limits: AskLimits, refused?: string): Promise<string> => {
		if (!login) {
			throw new DeliveryError('target_invalid', sayNo(lacks));
		}

		const known = authorizationBut(refused);
		if (known !== undefined) {
			return known;
		}

		const deadline = new AbortController();
		const ended = AbortSignal.any([limits.signal, deadline.signal]);
		const limitMs = leftOf(limits, clock);
		const cancel = clock.after(limitMs, () => deadline.abort());
		const turn = inTurn(async () => {
			const others = authorizationBut(refused);
			if (others !== undefined) {
				return others;
			}

			ended.throwIfAborted();
			const json = await askLogin(await login.request(), limits);
			const token = textAt(json, login.token);
			hide(token);
			const lifeMs = (Number(json[login.seconds]) || 0) * 1000;
			kept = {authorization: `Bearer ${token}`, until: clock.now() + lifeMs - tokenMarginMs};
			return kept.authorization;
		});
		try {
			return await within(turn, ended);
		} catch (error) {
			void turn.catch(() => {});
			if (error instanceof DeliveryError) {
				throw error;
			}

			const reason = `the login did not end within ${limitMs / 1000} s`;
			throw limits.signal.aborted
				? new DeliveryError('delivery_aborted', sayNo('the delivery was ended'))
				: platformFailure('platform_unreachable', sayNo(reason), {reason});
		} finally {
			cancel();
		}
	};

	const ask = createAsk(world, {
		...options,
		again: async (answer, request, limits) =>
			isRefused(answer)
				? as(request, await logIn(limits, request.headers?.['authorization']))
				: undefined,
	});
	return {ask: async (request, limits) => ask(as(request, await logIn(limits)), limits), logIn};
}

const as = (request: PlatformCall, authorization: string): PlatformCall => ({
	...request,
	headers: {authorization},
});
