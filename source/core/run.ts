import type {JsonObject, JsonValue} from './json.ts';

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
export type Target = {
	/** `log`, `forge_comment`, or a platform's name. */
	readonly kind: string;
	readonly extra: JsonObject;
};

/** What a run needs, frozen when its delivery was accepted: later configuration changes do not alter it. */
export type RunPlan = {
	/** The rendered user message, unchanged. */
	readonly prompt: string;
	readonly target: Target;
	readonly skills: readonly string[];
	/** Toolset names; the platform's default when absent. */
	readonly toolsets?: readonly string[];
	readonly mirrorToSession?: boolean;
	/** Name of the upstream model instead of the configured one; same provider. */
	readonly model?: string;
};

/** A run as faces see it. Strings from outside are cleaned by `cell()` or `block()` when the value is made. */
export type Run = {
	readonly id: number;
	/** `Delivery.id` of the event that started it; the latest of its group. Absent when a schedule or a person fired a job. */
	readonly delivery?: string;
	readonly profile: string;
	/** `-` without a delivery. */
	readonly route: string;
	/** `schedule` or `person` without a delivery. */
	readonly event: string;
	/** Earlier events of its group, which it stands for too; the prompt says so. Absent when there were none. */
	readonly superseded?: number;
	/** `Group.id` that it came from. */
	readonly group?: number;
	/** The scheduled job that it is a run of. */
	readonly job?: {readonly id: string; readonly name: string};
	/** `deliver` of its target; once it is done, of the one that has the answer. */
	readonly target: string;
	readonly state: RunState;
	/** Agent tries so far, 0 while queued for the first time. */
	readonly attempt: number;
	/** Tries to hand over the answer so far. */
	readonly deliveryAttempt: number;
	readonly createdAt: number;
	readonly startedAt?: number;
	readonly finishedAt?: number;
	/** When a waiting run is tried again, milliseconds since 1970. */
	readonly nextAttemptAt?: number;
	readonly toolCalls: number;
	readonly model?: string;
	/** First 2,000 characters of the answer. */
	readonly answer?: string;
	/** Why it failed, redacted; one line. */
	readonly error?: string;
};

/** One entry of a run's transcript, in order. Kept in the journal; text is redacted before it is stored. */
export type TranscriptEntry = {
	readonly at: number;
	readonly kind:
		| 'prompt'
		| 'text'
		| 'tool-call'
		| 'tool-result'
		| 'retry'
		| 'delivery'
		| 'error'
		| 'note';
	readonly text: string;
	/** Facts beside the text: tool name and arguments, duration in milliseconds, token counts. */
	readonly data?: Readonly<Record<string, JsonValue>>;
};

export type StoredRun = Run & {
	readonly plan: RunPlan;
	readonly transcript: readonly TranscriptEntry[];
	/** The whole answer. */
	readonly fullAnswer?: string;
};

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
