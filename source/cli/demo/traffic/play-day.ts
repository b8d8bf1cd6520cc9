import type {Approval} from '../../../core/approval.ts';
import type {GatewayState} from '../../../core/state.ts';
import type {Gateway} from '../../../gateway/gateway.ts';
import type {GatewayPort} from '../../../gateway/port.ts';
import type {BehindClock} from '../behind-clock.ts';
import {type Moment, recordedDay} from './recorded.ts';
import {send, type Sending} from './sending.ts';

const minuteMs = 60_000;

/** Longer than a call waits for its answer. */
const nobodyMs = 6 * minuteMs;

const byWhom = 'tui (mona)';

/**
 * Lets a day pass in a moment: the clock leaps from event to event, and what each one starts comes to its end before the next, but for a call that is left open. Returns when the clock has caught up. A day
 * that is broken off by `signal` ends where it is.
 */
export async function playDay(
	gateway: Gateway,
	{
		clock,
		url,
		signal,
		moments = recordedDay,
	}: {
		readonly clock: BehindClock;
		readonly url: string;
		readonly signal: AbortSignal;
		readonly moments?: readonly Moment[];
	},
): Promise<void> {
	const {port} = gateway;
	const post = async (sending: Sending) => send(sending, {clock, url, signal});

	const stateWhere = async (holds: (state: GatewayState) => boolean, until = signal) =>
		waitForState(port, {holds, until});

	/** Until nothing runs, or a call waits for a person; whether the first was so. */
	const settled = async (): Promise<boolean> => {
		const decided = new AbortController();
		const asks = stateWhere(
			({approvals}) => approvals.length > 0,
			AbortSignal.any([signal, decided.signal]),
		);
		try {
			return await Promise.race([gateway.idle().then(() => true), asks.then(() => false)]);
		} finally {
			decided.abort();
		}
	};

	const answer = async (word: 'allow' | 'deny' | undefined) => {
		const [first] = port.getState().approvals;
		if (!first) {
			return;
		}

		if (word === undefined) {
			clock.leap(nobodyMs);
		} else {
			await say(first, word);
		}

		// The leap may have let others begin.
		await stateWhere(({approvals}) => approvals.every(({id}) => id !== first.id));
	};

	const say = async (first: Approval, word: 'allow' | 'deny') => {
		const given =
			word === 'deny'
				? ({choice: 'deny', reason: 'Not now'} as const)
				: ({
						choice: 'allow',
						scope: 'once',
						...(first.kind === 'tool' && first.mustTypeName && {typedName: first.tool.tool}),
					} as const);
		await port.settleApproval(first.id, {answer: given, by: byWhom});
	};

	// A leap would let connecting take too long.
	await stateWhere(
		({servers}) => servers.length > 0 && servers.every(({status}) => status !== 'connecting'),
	);
	for (const {ago, sends, answer: word} of moments) {
		if (signal.aborted) {
			return;
		}

		clock.leap(clock.behindMs() - ago * minuteMs);
		for (const sending of sends) {
			// oxlint-disable-next-line no-await-in-loop -- in their order
			await post(sending);
		}

		// oxlint-disable-next-line no-await-in-loop -- one after the other
		while (!(await settled()) && !signal.aborted) {
			if (word === 'open') {
				break;
			}

			// oxlint-disable-next-line no-await-in-loop
			await answer(word);
		}
	}

	clock.leap(clock.behindMs());
}

/** Resolves as soon as `holds` is true of the state, or `until` aborts. */
async function waitForState(
	port: Pick<GatewayPort, 'getState' | 'subscribe'>,
	{holds, until}: {readonly holds: (state: GatewayState) => boolean; readonly until: AbortSignal},
): Promise<void> {
	const {promise, resolve} = Promise.withResolvers<void>();
	const look = () => {
		if (until.aborted || holds(port.getState())) {
			resolve();
		}
	};
	const unsubscribe = port.subscribe(look);
	until.addEventListener('abort', look, {once: true});
	look();
	try {
		await promise;
	} finally {
		until.removeEventListener('abort', look);
		unsubscribe();
	}
}
