import {createTimer} from '../../core/clock.ts';
import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {hasEnded} from '../../core/run.ts';
import {sessionOwnerOf} from '../../core/session.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {allow, deny} from '../approvals/answer.ts';
import {fillForm} from '../approvals/fill.ts';
import {contextWhileWaiting, refuseSettled} from '../approvals/waiting.ts';
import {askLine, canAsk, isYes} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {printJson, tell} from '../console/print.ts';
import {readInput} from '../console/read-input.ts';
import {attachServing} from '../home/gateway-access.ts';
import {createAnswerWriter} from './answer-writer.ts';

type Talking = {
	/** Begins a new session instead of continuing the last one. */
	readonly new?: boolean;
	readonly session?: string;
	readonly json?: boolean;
};

/** The gateway's limit for one text, in bytes. */
const maxBytes = 256 * 1024;

/** How long to wait for an answer while the gateway is unreachable. */
const maxLostMs = 60_000;

/**
 * `svc talk`: the person's own chat. A single turn for a text or piped input; on a terminal, one turn after the other.
 * @throws SvcError `gateway_not_running`, `gateway_silent`, `session_not_found`, and what `sendChat` rejects with
 */
export async function talk(
	context: Context,
	words: readonly string[],
	{new: isNew = false, session: named, json = false}: Talking,
): Promise<void> {
	const text = words.join(' ');
	const {port, at} = await attachServing(context);
	await using _ = port;
	let session = isNew ? undefined : (named ?? (await lastSession(port)));
	if (text !== '' || !canAsk(context)) {
		const said = text === '' ? await readInput(context, '-', {maxBytes}) : text;
		if (said.trim() === '') {
			throw new SvcError('file_unreadable', 'Cannot say anything: the text is empty');
		}

		const turn = await takeTurn(at, port, {text: said, session, isSilent: json});
		if (json) {
			printJson(context, turn);
		}

		if (turn.state !== 'done') {
			context.exit(turn.state === 'cancelled' ? 130 : 1);
		}

		return;
	}

	tell(
		context,
		`${session === undefined ? 'A new conversation' : `Going on with ${session}`}. /new begins another, /stop or Ctrl-C ends an answer, /quit leaves.`,
	);
	const history: string[] = [];
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- one turn after the other
		const typed = await askLine(context, 'you> ', {history});
		if (typed.interrupted || typed.ended || /^\/?(?:quit|exit)$/.test(typed.text)) {
			return;
		}

		const word = typed.text.toLowerCase();
		if (word === '/new') {
			session = undefined;
			tell(context, 'The next thing that is said begins a new conversation');
		} else if (word === '/stop') {
			tell(context, 'No answer is under way');
		} else if (word === '/reload-mcp') {
			// oxlint-disable-next-line no-await-in-loop
			await attempt(context, async () => {
				await port.reload();
				tell(context, 'The tool servers are read again');
			});
		} else if (typed.text !== '') {
			// oxlint-disable-next-line no-await-in-loop
			await attempt(context, async () => {
				({session} = await takeTurn(at, port, {text: typed.text, session, isSilent: false}));
			});
		}
	}
}

/** Reports a failure and continues the conversation, unless the gateway is gone. */
async function attempt(context: Context, act: () => Promise<void>): Promise<void> {
	try {
		await act();
	} catch (error) {
		if (codeOf(error) === 'gateway_silent') {
			throw error;
		}

		tell(context, messageOf(error));
	}
}

/** The last used session of the person at the terminal. */
async function lastSession(port: GatewayPort): Promise<string | undefined> {
	const sessions = await port.listSessions({limit: 200});
	return sessions.find(session => sessionOwnerOf(session).kind === 'person')?.id;
}

const nothing = () => {};

type Turn = {
	readonly session: string;
	readonly run: number;
	readonly state: string;
	readonly answer: string;
	readonly error?: string;
};

type SaidText = {
	readonly text: string;
	readonly session: string | undefined;
	readonly isSilent: boolean;
};

/** Sends a text, writes the answer as it streams in, and asks for approvals. Ctrl-C cancels the run. */
async function takeTurn(
	context: Context,
	port: GatewayPort,
	{text, session, isSilent}: SaidText,
): Promise<Turn> {
	const queue: GatewayEvent[] = [];
	let wake = nothing;
	const unsubscribe = port.subscribe(events => {
		queue.push(...events);
		wake();
	});
	const interrupts = context.interrupts ?? process;
	const stopping = new AbortController();
	// A second Ctrl-C ends more than the turn.
	const onInterrupt = () => {
		interrupts.off('SIGINT', onInterrupt);
		stopping.abort();
	};

	interrupts.on('SIGINT', onInterrupt);
	try {
		const {session: open, run} = await port.sendChat({
			text,
			...(session !== undefined && {session}),
		});
		const cancel = () => {
			port.cancelRun(run).catch((error: unknown) => tell(context, messageOf(error)));
		};

		stopping.signal.addEventListener('abort', cancel);
		if (stopping.signal.aborted) {
			cancel();
		}

		const writer = createAnswerWriter(context, isSilent);
		using lost = createTimer(context.clock);
		let isGone = false;
		for (;;) {
			const event = queue.shift();
			const isAsking = event?.type === 'approval-requested' && event.approval.run === run;
			if (isAsking) {
				writer.breakLine();
				// oxlint-disable-next-line no-await-in-loop -- the run waits for it, too
				await askForCall(context, port, {approval: event.approval, stopping});
			}

			if (event) {
				writer.take(event, run);
				continue;
			}

			const {runs, gateway} = port.getState();
			if (runs.some(one => one.id === run && hasEnded(one.state))) {
				break;
			}

			if (isGone) {
				throw new SvcError(
					'gateway_silent',
					`Cannot hear the answer: the gateway has not answered for ${maxLostMs / 1000} s; what becomes of it is shown by "svc runs show ${run}"`,
				);
			}

			if (gateway.reachable) {
				lost.cancel();
			} else if (lost.isFree()) {
				writer.breakLine();
				tell(
					context,
					`The gateway does not answer any more; it is waited for, ${maxLostMs / 1000} s at most`,
				);
				lost.set(maxLostMs, () => {
					isGone = true;
					wake();
				});
			}

			// oxlint-disable-next-line no-await-in-loop -- until something happens
			await new Promise<void>(resolve => {
				wake = resolve;
			});
		}

		const ended = await port.getRun(run);
		const {state = 'failed', fullAnswer, answer = '', error} = ended ?? {};
		const whole = fullAnswer ?? answer;
		writer.end(whole);
		if (state !== 'done' && !isSilent) {
			tell(context, state === 'cancelled' ? 'Stopped' : `No answer: ${error ?? state}`);
		}

		return {
			session: open,
			run,
			state,
			answer: whole,
			...(error !== undefined && {error}),
		};
	} finally {
		interrupts.off('SIGINT', onInterrupt);
		unsubscribe();
	}
}

type Waiting = Extract<GatewayEvent, {type: 'approval-requested'}>['approval'];

/**
 * Asks the person to approve a call or to fill in a server's form, like `svc approvals`. If nobody can be asked (a pipe), only prints that the request waits.
 * Ctrl-C cancels the agent's run.
 */
async function askForCall(
	context: Context,
	port: GatewayPort,
	{
		approval: {id, kind},
		stopping,
	}: {readonly approval: Waiting; readonly stopping: AbortController},
): Promise<void> {
	if (!canAsk(context)) {
		tell(
			context,
			`Approval ${id} waits: svc approvals ${kind === 'tool' ? 'allow' : 'fill'} ${id}, or svc approvals deny ${id}`,
		);
		return;
	}

	let isInterrupted = false;
	using waiting = contextWhileWaiting(context, port, {id});
	const asking: Context = {
		...waiting.asking,
		stdout: context.stderr,
		// The approval's exit code is not that of the chat.
		exit(code) {
			isInterrupted ||= code === 130;
		},
	};
	try {
		if (kind === 'form') {
			await fillForm(asking, id);
		} else if (!(await allow(asking, id, {scope: 'once'})) && !isInterrupted) {
			const {text, interrupted} = await askLine(asking, 'Deny it? [y/N] ');
			await refuseSettled(asking, port, id);
			isInterrupted = interrupted && asking.signal?.aborted !== true;
			if (isYes(text)) {
				await deny(asking, id);
			}
		}
	} catch (error) {
		if (codeOf(error) !== 'approval_settled') {
			throw error;
		}

		tell(context, messageOf(error));
	}

	if (isInterrupted) {
		stopping.abort();
	}
}
