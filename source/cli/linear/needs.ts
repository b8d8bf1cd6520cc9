import type {Approval} from '../../core/approval.ts';
import {type Clock, createTimer, stopAll} from '../../core/clock.ts';
import type {GatewayEvent} from '../../core/events.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {lineOf, needsOf, type Need} from '../../nouns/needs.ts';

const expiry = ({id, run}: Approval): Need => ({
	key: `expired ${id}`,
	text: `Approval ${id} was denied, because no answer came in time`,
	command: run === undefined ? 'approvals list' : `runs show ${run}`,
});

/** At most one batch of lines is printed within this time, in milliseconds. */
const quietMs = 3000;
/** How long to wait for a line being typed, or an open question. */
const mostHeldMs = 10_000;
const heldMs = 500;
/** The most lines in one batch. */
const mostLines = 5;

type Announcing = {
	readonly clock: Clock;
	readonly say: (lines: readonly string[]) => void;
	/** Whether a line is being typed, or a question open. */
	readonly isBusy: () => boolean;
};

/**
 * Prints what begins to need a person, and which request was denied at its deadline: at most five lines every three seconds, and the number of others. What
 * existed at the start was printed then. While a person types, the lines wait for at most ten seconds. Returns a function that stops it.
 */
export function announceNeeds(
	port: Pick<GatewayPort, 'getState' | 'subscribe'>,
	{clock, say, isBusy}: Announcing,
): () => void {
	const needs = () => needsOf(port.getState(), clock.now());
	let known = keysOf(needs());
	let fresh: readonly string[] = [];
	let expired: readonly Need[] = [];
	let lastAt = -Infinity;
	let heldSince: number | undefined;
	let isLost = false;
	const timer = createTimer(clock);

	const tell = () => {
		const open = [...expired, ...needs().filter(({key}) => fresh.includes(key))];
		if (open.length === 0) {
			fresh = [];
			heldSince = undefined;
			return;
		}

		const now = clock.monotonic();
		const restMs = lastAt + quietMs - now;
		const isHeld = isBusy() && now - (heldSince ??= now) < mostHeldMs;
		if (restMs > 0 || isHeld) {
			timer.set(Math.max(restMs, isHeld ? heldMs : 0), tell);
			return;
		}

		heldSince = undefined;
		lastAt = now;
		fresh = [];
		expired = [];
		const more = open.length - mostLines;
		say([
			...open.slice(0, mostLines).map(lineOf),
			...(more > 0
				? [`And ${more} more: approvals list, runs list --state failed, mcp list, gateway status`]
				: []),
		]);
	};

	const look = (events: readonly GatewayEvent[]) => {
		const ended = events.flatMap(event =>
			event.type === 'approval-settled' && event.approval.decision?.outcome === 'timeout'
				? [expiry(event.approval)]
				: [],
		);
		expired = [...expired, ...ended].slice(-maxFresh);
		const state = port.getState();
		const keys = keysOf(needsOf(state, clock.now()));
		const begun = [...keys].filter(key => !known.has(key));
		known = keys;
		if (isLost && state.gateway.reachable) {
			say(['The gateway answers again']);
		}

		isLost = !state.gateway.reachable;
		if (begun.length > 0 || ended.length > 0) {
			fresh = [...fresh, ...begun].slice(-maxFresh);
			tell();
		}
	};

	return stopAll([port.subscribe(look), timer[Symbol.dispose]]);
}

const maxFresh = 1000;

const keysOf = (needs: readonly Need[]): ReadonlySet<string> => new Set(needs.map(({key}) => key));
