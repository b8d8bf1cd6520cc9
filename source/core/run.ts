import {conversationWords, originOf} from './origin.ts';
import type {Shape} from './schemas/parts.ts';
import type {
	pullRequestSchema,
	runPlanSchema,
	runSchema,
	storedRunSchema,
	targetSchema,
	transcriptEntrySchema,
} from './schemas/run.ts';

/** States of runs that have ended. */
export const endedStates = [
	'done',
	'silent',
	'failed',
	'cancelled',
	'interrupted',
	'uncertain',
	'dead',
	'dropped',
] as const;

/** Every {@link RunState}. */
export const runStates = ['queued', 'running', 'delivering', ...endedStates] as const;

/**
 * Where a run stands.
 *
 * - `queued`: durable, waits for a free place. `running`: the agent works.
 * - `delivering`: the answer is durable and on its way to its target, perhaps between two tries.
 * - `done`, `silent` (answered `[SILENT]`), `failed` (the agent ended in an error after its retries), `cancelled`.
 * - `interrupted`: the process died while a tool that may change things had started, or three times during this run; a person decides.
 * - `uncertain`: the process died while the answer was being handed to a target that cannot be asked; verify, then decide.
 * - `dead`: the answer could not be delivered after all tries.
 * - `dropped`: a person has put it away; `Run.dropped` says what it was.
 */
export type RunState = (typeof runStates)[number];

/** What the gateway can get before an agent starts. */
export const prefetchKinds = ['diff', 'checkout'] as const;

/** A pull request, as the event of its code host names it. */
export type PullRequest = Shape<typeof pullRequestSchema>;

/** What a run gets beforehand, for a person: `diff, checkout of acme/api#7 at 1a2b3c4`. */
export function prefetchWords(prefetch: RunPlan['prefetch']): string | undefined {
	if (!prefetch?.pullRequest) {
		return prefetch && `${prefetch.what.join(', ')} of nothing: the event names no pull request`;
	}

	const {
		what,
		pullRequest: {repo, number, head},
	} = prefetch;
	const commit = head !== undefined && what.includes('checkout') ? ` at ${head.slice(0, 7)}` : '';
	return `${what.join(', ')} of ${repo}#${number}${commit}`;
}

/** Where a result goes: the value of `deliver` and its rendered keys. */
export type Target = Shape<typeof targetSchema>;

/** What a run needs, frozen when its delivery was accepted: later configuration changes do not alter it. */
export type RunPlan = Shape<typeof runPlanSchema>;

/** A run as faces see it. Strings from outside are cleaned by `escapeLine` or `escapeBlock` when the value is made. */
export type Run = Shape<typeof runSchema>;

/** What a run has come to so far. `usage`: absent while no answer of the model said what it used. */
export type WorkDone = Pick<Run, 'toolCalls' | 'usage'> & {readonly model: string};

/** What an entry of a transcript may be. */
export const transcriptKinds = [
	'prompt',
	'text',
	'tool-call',
	'tool-result',
	'retry',
	'delivery',
	'error',
	'note',
] as const;

/** One entry of a run's transcript, in order. Kept in the journal; text is redacted before it is stored. */
export type TranscriptEntry = Shape<typeof transcriptEntrySchema>;

/** What a transcript says of a tool: `mcp__fs__write_file` that is called; `mcp__fs__write_file, allowed by cli (alice)`, which answers, and who let it run. */
export function toolWords({kind, data}: TranscriptEntry): string | undefined {
	const {tool, approval} = data ?? {};
	if (typeof tool !== 'string') {
		return undefined;
	}

	return kind !== 'tool-call' && typeof approval === 'string' && approval !== ''
		? `${tool}, ${approval}`
		: tool;
}

export type StoredRun = Shape<typeof storedRunSchema>;

const ended: ReadonlySet<RunState> = new Set(endedStates);

/** Whether the run waits for a person to decide. */
export const needsDecision = ({state}: Pick<Run, 'state'>): boolean =>
	state === 'interrupted' || state === 'uncertain' || state === 'dead';

const droppedFrom: ReadonlySet<RunState> = new Set(['failed', 'interrupted', 'uncertain', 'dead']);

/** Whether a person may put a run away: one that has ended badly. */
export const canBeDropped = (state: RunState): boolean => droppedFrom.has(state);

const handedOverFrom: ReadonlySet<RunState> = new Set([
	'done',
	'cancelled',
	'uncertain',
	'dead',
	'dropped',
]);

/** Whether the answer of a run, where it has one, may be handed over again. The agent of a silent one wants it to go nowhere. */
export const canBeHandedOver = (state: RunState): boolean => handedOverFrom.has(state);

/** Whether nothing more happens to a run in `state` unless a person acts. */
export const hasEnded = (state: RunState): boolean => ended.has(state);

/**
 * How long a run took, or has taken until `now` (milliseconds since 1970), with what it waited for between its tries: `2.4s`, `5:00`, `1:02:03`; in whole seconds while it is
 * under way. `undefined` before its first try. Every face says it so.
 */
export function tookWords(
	{startedAt, finishedAt}: Pick<Run, 'startedAt' | 'finishedAt'>,
	now: number,
): string | undefined {
	if (startedAt === undefined) {
		return undefined;
	}

	const ms = Math.max(0, (finishedAt ?? now) - startedAt);
	const seconds = Math.floor(ms / 1000);
	if (seconds < 60) {
		return finishedAt === undefined ? `${seconds}s` : `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
	}

	const minutes = Math.floor(seconds / 60);
	const parts = minutes < 60 ? [minutes] : [Math.floor(minutes / 60), minutes % 60];
	return [...parts, seconds % 60]
		.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0')))
		.join(':');
}

/** Where the answer goes: `caller` of a turn of a chat of the API or the terminal, the conversation of another. Not cleaned of its own. */
export function targetWords({target, ...run}: Run): string {
	const origin = originOf(run);
	switch (origin.kind) {
		case 'delivery':
		case 'job':
			return target;

		case 'key':
		case 'person':
			return 'caller';

		case 'chat':
			return conversationWords(origin);
	}
}

/** Stands for the whole payload among the keys that a prompt took. */
export const wholePayload = '__raw__';

/**
 * What a prompt took of its payload, for a person: `number, pull_request.title`. What a model made of it nobody knows; of what is not named here its prompt had nothing. Not cleaned of its own.
 */
export const readWords = (keys: readonly string[]): string =>
	keys.length === 0
		? 'nothing of the payload'
		: keys
				.map(key =>
					key === wholePayload ? 'the payload as JSON (its first 4,000 characters)' : key,
				)
				.join(', ');
