import {strangePage} from '../../core/logins.ts';
import {hasEnded, needsDecision} from '../../core/run.ts';
import {createTimer, stopAll} from '../../core/stops.ts';
import type {Safe} from '../../core/untrusted.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {askedBy, askedFor, askingServer, deadlineText} from '../approvals/approval-text.ts';
import {waitingInstalls} from '../dialogs/install-link.ts';
import {isUnderWay} from '../entries/login-entry.ts';
import {serverName} from '../entries/server-key.ts';
import {clean} from '../lines/line.ts';
import {chatNow, runOfTurn} from '../panes/chat/chat-state.ts';
import type {Shell} from '../shell/shell.ts';

/** One line at most in this time. */
const quietMs = 3000;
/** Whoever types is not interrupted for longer than this. */
const mostHeldMs = 10_000;
const heldMs = 500;

type Need = {readonly key: string; readonly text: Safe};

/** What needs a person now, each once. */
function needsOf(shell: Shell): readonly Need[] {
	const {state, now} = shell.feed.get();
	const {approvals, runs, servers, webhook} = state;
	return [
		...approvals.map(approval => ({
			key: `approval ${approval.id}`,
			text: safe`Approval: ${askingServer(approval)} wants ${askedFor(approval)} for ${askedBy(approval.run)}, ${deadlineText(approval, now)}. Say approvals.`,
		})),
		// The two hosts stand together: codes are what phishers ask for.
		...shell.logins
			.attempts()
			.filter(isUnderWay)
			.flatMap(attempt => {
				const {server, serverHost, userCode, verificationHost = ''} = attempt;
				const strange = strangePage(attempt);
				const caution = strange ? safe`, which is not ${clean(strange.issuer)},` : empty;
				return userCode === undefined
					? []
					: [
							{
								key: `code ${server} ${userCode}`,
								text: safe`Login to ${clean(server)} at ${clean(serverHost)}: the code for ${clean(verificationHost)}${caution} is ${clean(Array.from(userCode).join(' '))}. Say logins.`,
							},
						];
			}),
		...servers
			.filter(({status}) => status === 'needs login')
			.map(server => ({
				key: `login ${serverName(server)} ${server.since}`,
				text: safe`Tool server ${clean(serverName(server))} needs a login. Say logins.`,
			})),
		...runs.filter(needsDecision).map(({id, route}) => ({
			key: `run ${id}`,
			text: safe`Run #${id} of ${clean(route)} was interrupted: a person decides. Say runs.`,
		})),
		...(chatAnswer(shell) ?? []),
		...waitingInstalls(shell).map(({id, name}) => ({
			key: `install ${id}`,
			text: safe`A link wants tool server ${clean(name)} installed. Say I to look at it.`,
		})),
		...(webhook.state === 'refused'
			? [
					{
						key: `receiver ${webhook.reason}`,
						text: safe`Webhooks are not received: ${clean(webhook.reason)}. Say r to try again.`,
					},
				]
			: []),
	];
}

/** What the agent was asked in the chat has an answer, and nobody reads it yet. */
function chatAnswer(shell: Shell): readonly Need[] | undefined {
	const {state} = shell.feed.get();
	const run = runOfTurn(chatNow(shell), state);
	return run && hasEnded(run.state)
		? [
				{
					key: `chat ${run.id}`,
					text:
						run.state === 'done'
							? literal('The agent has answered in the chat. Say chat, or again there.')
							: literal('The agent did not answer in the chat. Say chat, or again there.'),
				},
			]
		: undefined;
}

/** Says in one line what began to need a person, between answers, and not more often than every three seconds. What is there at the beginning is known. Returns the way out. */
export function announce(
	shell: Shell,
	{
		say,
		isTyping,
	}: {
		readonly say: (text: Safe) => void;
		/** Whether a line is begun, or something is being answered. */
		readonly isTyping: () => boolean;
	},
): () => void {
	let known = new Set(needsOf(shell).map(({key}) => key));
	let waiting: readonly string[] = [];
	let lastAt = -Infinity;
	let heldSince: number | undefined;
	const timer = createTimer(shell.clock);

	const later = (ms: number) => {
		if (timer.isFree()) {
			timer.set(ms, tell);
		}
	};

	const tell = () => {
		const needs = needsOf(shell);
		const open = needs.filter(({key}) => waiting.includes(key));
		const [first] = open;
		if (!first) {
			waiting = [];
			heldSince = undefined;
			return;
		}

		const now = shell.clock.monotonic();
		const restMs = lastAt + quietMs - now;
		if (restMs > 0) {
			later(restMs);
			return;
		}

		if (isTyping() && now - (heldSince ??= now) < mostHeldMs) {
			later(heldMs);
			return;
		}

		heldSince = undefined;
		lastAt = now;
		waiting = [];
		const more = open.length - 1;
		say(
			more === 0
				? first.text
				: safe`${first.text} ${more} more ${more === 1 ? literal('waits') : literal('wait')}: say status.`,
		);
	};

	const look = () => {
		const keys = needsOf(shell).map(({key}) => key);
		const fresh = keys.filter(key => !known.has(key));
		known = new Set(keys);
		if (fresh.length > 0) {
			waiting = [...waiting, ...fresh];
			tell();
		}
	};

	return stopAll([shell.feed.subscribe(look), shell.logins.subscribe(look), timer[Symbol.dispose]]);
}
