import type {Shape} from './schemas/parts.ts';
import type {
	runPlanSchema,
	runSchema,
	storedRunSchema,
	targetSchema,
	transcriptEntrySchema,
} from './schemas/run.ts';

/** Every {@link RunState}. */
export const runStates = [
	'queued',
	'running',
	'delivering',
	'done',
	'silent',
	'failed',
	'cancelled',
	'interrupted',
	'uncertain',
	'dead',
] as const;

/**
 * Where a run stands.
 *
 * - `queued`: durable, waits for a free place. `running`: the agent works.
 * - `delivering`: the answer is durable and on its way to its target, perhaps between two tries.
 * - `done`, `silent` (answered `[SILENT]`), `failed` (the agent ended in an error after its retries), `cancelled`.
 * - `interrupted`: the process died while a tool that may change things had started, or three times during this run; a person decides.
 * - `uncertain`: the process died while the answer was being handed to a target that cannot be asked; verify, then decide.
 * - `dead`: the answer could not be delivered after all tries.
 */
export type RunState = (typeof runStates)[number];

/** Where a result goes: the value of `deliver` and its rendered keys. */
export type Target = Shape<typeof targetSchema>;

/** What a run needs, frozen when its delivery was accepted: later configuration changes do not alter it. */
export type RunPlan = Shape<typeof runPlanSchema>;

/** A run as faces see it. Strings from outside are cleaned by `cell()` or `block()` when the value is made. */
export type Run = Shape<typeof runSchema>;

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

const endedStates: ReadonlySet<RunState> = new Set([
	'done',
	'silent',
	'failed',
	'cancelled',
	'interrupted',
	'uncertain',
	'dead',
]);

/** Whether nothing more happens to a run in `state` unless a person acts. */
export const hasEnded = (state: RunState): boolean => endedStates.has(state);
