import type {AgentRequest, AgentRunner} from '../../agent/runner.ts';
import type {AgentTurn, AgentTurns, TurnResult} from '../../api/agent-turns.ts';
import {digestOf} from '../../api/approvals.ts';
import {busy} from '../../api/http/api-error.ts';
import type {Approval} from '../../core/approval.ts';
import {SvcError} from '../../core/errors.ts';
import type {JsonObject} from '../../core/json.ts';
import type {Logger} from '../../core/log.ts';
import type {CallerOrigin} from '../../core/origin.ts';
import type {TranscriptEntry} from '../../core/run.ts';
import type {World} from '../../core/world.ts';
import {defaultTarget} from '../../platforms/platforms.ts';
import type {Lease, Store} from '../../store/port.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import {createRunWords} from '../runs/announce-runs.ts';
import type {Dispatcher} from '../runs/dispatch.ts';
import {waitingEntry} from '../runs/open-workers.ts';
import {persistently, recordEntry, settleFailure} from '../runs/settle-run.ts';
import type {WorkDependencies} from '../runs/work-run.ts';

/** Maximum number of concurrent turns per kind of origin, so that keys cannot shut out the person at the terminal. Turns do not occupy the workers of runs. */
const places = 16;

const leaseMs = 60_000;

export type ApiTurnsDependencies = Pick<World, 'clock' | 'emit' | 'log' | 'redact'> & {
	readonly runs: Store['runs'];
	readonly dispatcher: Pick<Dispatcher, 'host'>;
	readonly announce: (runId: number) => Promise<void>;
	/** `test` answers test keys, `live` everything else. */
	readonly agents: Readonly<Record<'test' | 'live', AgentRunner>>;
	readonly equip: WorkDependencies['equip'];
	readonly settings: () => {readonly maxSteps: number; readonly timeoutMs: number};
	readonly profile: string;
	readonly approvals: Pick<OpenedApprovals, 'watch' | 'runEnded'>;
};

/** Answers turns of chats: each is a run in the journal with the turn's origin, and is not retried. */
export function createApiTurns(world: ApiTurnsDependencies): AgentTurns {
	const taken: Record<CallerOrigin['kind'], number> = {key: 0, person: 0};
	return async turn => {
		const {kind} = turn.origin;
		if (taken[kind] >= places) {
			throw busy();
		}

		taken[kind] += 1;
		try {
			return await workTurn(world, turn);
		} finally {
			taken[kind] -= 1;
		}
	};
}

async function workTurn(world: ApiTurnsDependencies, turn: AgentTurn): Promise<TurnResult> {
	const {runs, dispatcher, announce} = world;
	const {model, origin} = turn;
	const plan = {
		prompt: turn.messages.at(-1)?.text ?? '',
		target: {kind: defaultTarget, extra: {}},
		skills: [...model.skills],
		// A test key's turn gets no tools, so that it changes nothing.
		...(!model.tools || turn.isTest
			? {toolsets: []}
			: model.toolsets && {toolsets: [...model.toolsets]}),
		...(model.name !== undefined && {model: model.name}),
	};
	const lease = await runs.beginChat({profile: world.profile, origin, plan}, leaseMs);
	const {promise, resolve, reject} = Promise.withResolvers<TurnResult>();
	// The result is awaited only once the run is settled; until then a rejection must not count as unhandled.
	promise.catch(() => {});
	await dispatcher.host(lease, async (_, signal) => {
		await announce(lease.run.id);
		turn.onBegin?.(lease.run.id);
		const leaves = AbortSignal.any([turn.signal, signal]);
		try {
			resolve(await answerTurn({...world, lease, signal}, {...turn, signal: leaves}));
		} catch (error) {
			reject(error);
			await settleAfter({...world, lease, signal}, {turn, error});
		} finally {
			await announce(lease.run.id);
		}
	});
	return promise;
}

type Working = ApiTurnsDependencies & {readonly lease: Lease; readonly signal: AbortSignal};

/** Settles the run of a turn that rejected: as cancelled if the client left or the run was stopped, otherwise as failed. Never rejects. */
async function settleAfter(
	work: Working,
	{turn, error}: {readonly turn: AgentTurn; readonly error: unknown},
): Promise<void> {
	const {runs, lease, signal, log} = work;
	try {
		if (turn.signal.aborted || signal.aborted) {
			await runs.settle(lease, {state: 'cancelled'});
		} else {
			await settleFailure(work, error, {waitMs: undefined, last: 'failed'});
		}
	} catch {
		// The run counts as failed once its lease expires.
		log.warn('Cannot write down how a turn of a chat ended', {run: lease.run.id});
	}
}

async function answerTurn(work: Working, turn: AgentTurn): Promise<TurnResult> {
	const {clock, agents, equip, settings, runs, lease, log} = work;
	const {run} = lease;
	const note = (text: string) => recordEntry(work, {at: clock.now(), kind: 'note', text});
	await using stack = new AsyncDisposableStack();
	const {notes, logins, ...equipment} = await equip(run, {signal: turn.signal, note, stack});
	for (const text of [
		...notes,
		...logins.map(name => `Goes on without a login to tool server "${name}"`),
	]) {
		note(text);
	}

	let said = '';
	const progress = createProgress(turn, log);
	using watch = new DisposableStack();
	const words = watch.use(createRunWords(work, run.id));
	watch.defer(() => work.approvals.runEnded(run.id));
	watch.defer(
		work.approvals.watch(run.id, approval => {
			if (!approval.decision) {
				recordEntry(work, waitingEntry(approval));
			}

			progress.say(approvalProgress(approval));
		}),
	);
	const result = await agents[turn.isTest ? 'test' : 'live'].run({
		runId: run.id,
		prompt: run.plan.prompt,
		chat: chatOf(turn),
		...equipment,
		...(run.plan.model !== undefined && {model: run.plan.model}),
		...settings(),
		denyApprovals: turn.denyApprovals,
		signal: turn.signal,
		...(turn.beforeStep && {beforeStep: turn.beforeStep}),
		...(turn.onGrowth && {onGrowth: turn.onGrowth}),
		...(turn.afterStep && {afterStep: turn.afterStep}),
		async onText(text, begins) {
			const delta = begins && said !== '' ? `\n\n${text}` : text;
			said += delta;
			words.say(text, begins);
			await turn.onText(delta);
		},
		onEntry(entry) {
			words.told(entry);
			recordEntry(work, entry);
			progress.tell(entry);
		},
		onWork: ({usage: used, ...done}) => runs.work(lease, {...done, ...(used && {usage: used})}),
		async beforeSideEffect() {
			if (!(await runs.markSideEffect(lease))) {
				throw lostLease(run.id);
			}
		},
	});
	await progress.told();
	const {answer, toolCalls, model, cut} = result;
	const text = said === '' ? work.redact(answer) : said;
	const isAnswered = await persistently({clock, signal: turn.signal}, async () =>
		runs.answer(lease, {text, toolCalls, model: model.name}),
	);
	if (!isAnswered) {
		throw lostLease(run.id);
	}

	await turn.onAnswer?.({text, run: run.id});
	await runs.settle(lease, {state: 'done'});
	return {text, finishReason: cut ? 'length' : 'stop', run: run.id};
}

/** Another gateway or a person has ended the run: its result is discarded. */
const lostLease = (run: number): SvcError =>
	new SvcError('run_cancelled', `Cannot go on with run ${run}: its lease was lost`);

const chatOf = ({
	origin,
	messages,
	maxTokens,
	temperature,
	stop,
}: AgentTurn): NonNullable<AgentRequest['chat']> => ({
	of: origin.kind,
	system: messages.flatMap(({role, text}) => (role === 'system' ? [text] : [])).join('\n\n'),
	before: messages
		.slice(0, -1)
		.flatMap(({role, text}) => (role === 'system' ? [] : [{role, text}])),
	...(maxTokens !== undefined && {maxTokens}),
	...(temperature !== undefined && {temperature}),
	...(stop && {stop}),
});

/** Sends progress of tools and approvals to the client, in order. */
function createProgress({onProgress}: AgentTurn, log: Logger) {
	let last = Promise.resolve();
	const say = (told: JsonObject) => {
		last = last
			.then(async () => onProgress(told))
			.catch(() => log.debug('A client of the chat API could not be told of progress'));
	};
	return {
		say,
		tell(entry: TranscriptEntry) {
			const told = progressOf(entry);
			if (told) {
				say(told);
			}
		},
		told: async () => last,
	};
}

function approvalProgress(approval: Approval): JsonObject {
	const {id, deadline, decision} = approval;
	const of = approval.kind === 'tool' ? approval.tool : {server: approval.server, tool: null};
	const call = {id: String(id), tool: of.tool, server: of.server ?? null};
	return decision
		? {event: 'approval_settled', ...call, outcome: decision.outcome}
		: {
				event: 'approval_pending',
				...call,
				...(approval.kind === 'tool' && {arguments_digest: digestOf(approval)}),
				deadline: new Date(deadline).toISOString(),
			};
}

/** `undefined` for entries that only the journal keeps. */
function progressOf({kind, data = {}}: TranscriptEntry): JsonObject | undefined {
	const {tool = null, call = null, server = null} = data;
	switch (kind) {
		case 'tool-call':
			return {event: 'tool_started', tool, call, server};

		case 'tool-result':
			return {event: 'tool_ended', tool, call, server, ok: data['ok'] === true};

		case 'prompt':
		case 'text':
		case 'retry':
		case 'delivery':
		case 'error':
		case 'note':
			return undefined;
	}
}
