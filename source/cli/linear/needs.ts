import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import type {Approval} from '../../core/approval.ts';
import {toolFrom, whereWords} from '../../core/asked-tool.ts';
import type {Clock} from '../../core/clock.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {askerWords} from '../../core/origin.ts';
import {quotedName} from '../../core/quoted-name.ts';
import {needsDecision, type Run} from '../../core/run.ts';
import {loginCommand} from '../../core/shell-word.ts';
import type {GatewayState} from '../../core/state.ts';
import {createTimer, stopAll} from '../../core/stops.ts';
import {cell} from '../../core/untrusted.ts';
import type {GatewayPort} from '../../gateway/port.ts';

/** Something that a person should hear of, with what to type; `key` tells one from the next. */
export type Need = {readonly key: string; readonly text: string};

/** What needs a person in a state, the most urgent first. Cleaned, a line each. */
export function needsOf(state: GatewayState): readonly Need[] {
	const {
		gateway,
		approvals,
		runs,
		servers,
		webhook,
		api,
		problems,
		installs = [],
		modelOffer,
	} = state;
	const needs: ReadonlyArray<Need | false | undefined> = [
		!gateway.reachable && {
			key: 'lost',
			text: 'The gateway does not answer any more; svc looks for it',
		},
		...approvals.map(approval => ({
			key: `approval ${approval.id}`,
			text: approvalText(approval),
		})),
		modelOffer && {
			key: `model ${modelOffer.provider} ${modelOffer.name}`,
			text: `${modelOffer.provider} ${modelOffer.name} (${modelOffer.origin}) could be used, and costs money: /use-model`,
		},
		...servers
			.filter(({status}) => status === 'needs login')
			.map(server => ({
				key: `login ${server.profile} ${server.name} ${server.since}`,
				text: `Tool server ${quotedName(server.name)} needs a login: ${loginCommand(server).replace(/^svc /, '')}`,
			})),
		...runs.filter(isBad).map(run => ({key: `run ${run.id} ${run.state}`, text: runText(run)})),
		...installs.map(({id, name}) => ({
			key: `install ${id}`,
			text: `A link wants tool server ${quotedName(name)} installed: /install ${id}`,
		})),
		...problems
			.filter(({severity}) => severity === 'error')
			.map(formatDiagnostic)
			.map(problem => ({
				key: `problem ${problem}`,
				text: `The configuration is refused: ${problem}: config check`,
			})),
		webhook.state === 'refused' && {
			key: `receiver ${webhook.reason}`,
			text: `Webhooks are not received: ${webhook.reason}: gateway status`,
		},
		api?.state === 'refused' && {
			key: `api ${api.reason}`,
			text: `The chat API is not served: ${api.reason}: gateway status`,
		},
	];
	return needs.flatMap(need => (need ? [{...need, text: cell(need.text, maxText).text}] : []));
}

const maxText = 600;

const isBad = (run: Run): boolean => run.state === 'failed' || needsDecision(run);

function approvalText(approval: Approval): string {
	const {id, run} = approval;
	const what =
		approval.kind === 'tool'
			? `${quotedName(approval.tool.tool)} ${whereWords(toolFrom(approval.tool))}`
			: `a form of ${quotedName(approval.server)}`;
	const asker = askerWords(approval, quotedName);
	const whom = run === undefined ? 'a person who tries it' : `run #${run}`;
	return `Approval ${id} waits: ${what}, for ${whom}${asker === '' ? '' : ` of ${asker}`}: approvals ${approval.kind === 'tool' ? 'allow' : 'fill'} ${id}, approvals deny ${id}`;
}

const runText = ({id, route, state, error}: Run): string =>
	needsDecision({state})
		? `Run #${id} of ${route} is ${state}, a person decides: runs show ${id}, runs retry ${id}, runs drop ${id}`
		: `Run #${id} of ${route} failed${error === undefined ? '' : `, ${error}`}: runs show ${id}`;

const expiry = ({id, run}: Approval): Need => ({
	key: `expired ${id}`,
	text: `Approval ${id} was denied, because no answer came in time: ${run === undefined ? 'approvals list' : `runs show ${run}`}`,
});

/** One batch of lines at most in this time, milliseconds. */
const quietMs = 3000;
/** A line that is being typed, or a question, is waited for no longer. */
const mostHeldMs = 10_000;
const heldMs = 500;
/** Lines in one batch. */
const mostLines = 5;

/**
 * Says what begins to need a person, and which request was denied because no answer came in time: at most five lines every three seconds, the rest by its number. What is there at the beginning was said by then. While a person types, they wait, at most ten seconds.
 * Returns the function that stops it.
 */
export function announceNeeds(
	port: Pick<GatewayPort, 'getState' | 'subscribe'>,
	{
		clock,
		say,
		isBusy,
	}: {
		readonly clock: Clock;
		readonly say: (lines: readonly string[]) => void;
		/** Whether a line is begun, or a question open. */
		readonly isBusy: () => boolean;
	},
): () => void {
	let known = keysIn(port.getState());
	let fresh: readonly string[] = [];
	let expired: readonly Need[] = [];
	let lastAt = -Infinity;
	let heldSince: number | undefined;
	let isLost = false;
	const timer = createTimer(clock);

	const tell = () => {
		const open = [...expired, ...needsOf(port.getState()).filter(({key}) => fresh.includes(key))];
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
			...open.slice(0, mostLines).map(({text}) => text),
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
		const keys = keysIn(state);
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

const keysIn = (state: GatewayState): ReadonlySet<string> =>
	new Set(needsOf(state).map(({key}) => key));
