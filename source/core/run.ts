import {grouped} from './names.ts';
import {conversationWords, originOf} from './origin.ts';
import type {Shape} from './schemas/parts.ts';
import type {
	pullRequestSchema,
	runPlanSchema,
	runSchema,
	storedRunSchema,
	targetSchema,
	transcriptEntrySchema,
	usageSchema,
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
 * The state of a run.
 *
 * - `queued`: stored durably, waits for its start. `running`: the agent works.
 * - `delivering`: the answer is durable and being delivered to its target, possibly waiting for the next try.
 * - `done`, `silent` (the answer was `[SILENT]`), `failed` (the agent failed after its retries), `cancelled`.
 * - `interrupted`: the process died after a tool that may change things had started, or for the third time during this run; a person decides.
 * - `uncertain`: the process died while it sent the answer to a target that cannot be queried; a person verifies and decides.
 * - `dead`: the answer could not be delivered after all tries.
 * - `dropped`: dismissed by a person; `Run.dropped` holds the former state.
 */
export type RunState = (typeof runStates)[number];

/** Data that the gateway can fetch before an agent starts. */
export const prefetchKinds = ['diff', 'checkout'] as const;

/** A pull request, as named by the event of its code host. */
export type PullRequest = Shape<typeof pullRequestSchema>;

/** The prefetch of a run for people: `diff, checkout of acme/api#7 at 1a2b3c4`. */
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

/** The target of an answer: the value of `deliver` and its rendered keys. */
export type Target = Shape<typeof targetSchema>;

/** The input of a run, fixed when its delivery was accepted: later changes of the configuration do not alter it. */
export type RunPlan = Shape<typeof runPlanSchema>;

/** A run as faces see it. Untrusted strings are cleaned by `escapeLine` or `escapeBlock` when the value is made. */
export type Run = Shape<typeof runSchema>;

/** The work of a run so far. `usage`: absent until an answer of the model reports it. */
export type WorkDone = Pick<Run, 'toolCalls' | 'usage'> & {readonly model: string};

/** The kinds of transcript entries. */
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

/** The tool of a transcript entry: `mcp__fs__write_file` for a call; for a result also its approval: `mcp__fs__write_file, allowed by cli (alice)`. */
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

/** Whether the run waits for a decision by a person. */
export const needsDecision = ({state}: Pick<Run, 'state'>): boolean =>
	state === 'interrupted' || state === 'uncertain' || state === 'dead';

const droppedFrom: ReadonlySet<RunState> = new Set(['failed', 'interrupted', 'uncertain', 'dead']);

/** Whether a person may dismiss a run in `state`: only one that ended badly. */
export const canBeDropped = (state: RunState): boolean => droppedFrom.has(state);

const handedOverFrom: ReadonlySet<RunState> = new Set([
	'done',
	'cancelled',
	'uncertain',
	'dead',
	'dropped',
]);

/** Whether the answer of a run, if any, may be delivered again. A `silent` run has no answer by choice of the agent. */
export const canBeHandedOver = (state: RunState): boolean => handedOverFrom.has(state);

/** Whether a run in `state` has ended; a person may still act on it. */
export const hasEnded = (state: RunState): boolean => ended.has(state);

/**
 * The duration of a run including the pauses between tries: `2.4s`, `5:00`, `1:02:03`. For a run under way: the time until `now` (milliseconds since 1970), in whole seconds.
 * `undefined` before its first try.
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

/** The target of the answer for people: `caller` for a turn of the chat API or the terminal, the conversation for a turn on a platform. Not cleaned. */
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

/** The key that stands for the whole payload in `RunPlan.read`. */
export const wholePayload = '__raw__';

/**
 * The keys of the payload in a prompt, for people: `number, pull_request.title`. The prompt holds nothing else of the payload. Not cleaned.
 */
export const readWords = (keys: readonly string[]): string =>
	keys.length === 0
		? 'nothing of the payload'
		: keys
				.map(key =>
					key === wholePayload ? 'the payload as JSON (its first 4,000 characters)' : key,
				)
				.join(', ');

/** Usage of the model by a run, over all its tries. */
export type Usage = Shape<typeof usageSchema>;

/** Price of a million input and output tokens of a model. */
export type ModelPrice = {
	readonly input: number;
	readonly output: number;
	readonly currency: string;
};

const million = 1_000_000;

/** Most tokens of one answer. Greater counts are wrong, and their sums could exceed the range of a number or a column of the journal. */
const maxCount = 2 ** 31;

/** Whether the token count of a server is plausible; otherwise an estimate is used. */
export const isTokenCount = (value: unknown): value is number =>
	Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= maxCount;

/** The token count of a server, or an estimate if the count is missing, 0 or implausible. */
export const countedOr = (count: number | undefined, estimate: () => number): number =>
	isTokenCount(count) && count > 0 ? count : estimate();

/** A count below this share of the estimate is implausible (tokens of more than 32 bytes): the server counted something else, such as only the first piece. */
const leastPart = 1 / 8;

/** The server's count of output tokens, or `estimate` if the count is missing or implausible. */
export const spokenOr = (count: number | undefined, estimate: number): number =>
	countedOr(
		count !== undefined && count < estimate * leastPart ? undefined : count,
		() => estimate,
	);

/** The sum of counts, at most 2^53 − 1 so that it can be stored and sent. Old journals may hold greater counts. */
export const sumOfCounts = (...counts: readonly number[]): number =>
	Math.min(
		counts.reduce((sum, count) => sum + count, 0),
		Number.MAX_SAFE_INTEGER,
	);

/** Usage of one call of a model; with the cost if the price is known. */
export const usageOf = (
	inputTokens: number,
	outputTokens: number,
	price: ModelPrice | undefined,
): Usage => ({
	inputTokens,
	outputTokens,
	...(price && {
		cost: {
			amount: (inputTokens * price.input + outputTokens * price.output) / million,
			currency: price.currency,
		},
	}),
});

/** The sum of two usages. Its cost is present only when both costs are known in one currency: a partial cost would mislead. */
export function addUsage(one: Usage | undefined, other: Usage): Usage {
	if (!one) {
		return other;
	}

	const {cost} = other;
	return {
		inputTokens: sumOfCounts(one.inputTokens, other.inputTokens),
		outputTokens: sumOfCounts(one.outputTokens, other.outputTokens),
		...(cost &&
			one.cost?.currency === cost.currency && {
				cost: {amount: one.cost.amount + cost.amount, currency: cost.currency},
			}),
	};
}

const signs: Readonly<Record<string, string>> = {USD: '$', EUR: '€', GBP: '£'};

/** `1,204 in · 380 out`. */
export const tokenWords = ({
	inputTokens,
	outputTokens,
}: Pick<Usage, 'inputTokens' | 'outputTokens'>): string =>
	`${grouped(inputTokens)} in · ${grouped(outputTokens)} out`;

/** `1,204 in · 380 out · $0.004`; without a known cost only the tokens. */
export function usageWords({cost, ...counts}: Usage): string {
	const tokens = tokenWords(counts);
	return cost ? `${tokens} · ${costWords(cost)}` : tokens;
}

const smallest = 0.000_001;

/** An amount with two significant digits when small: `$0.0042`, `$1.20`, `3,210.10 CHF`. */
export function costWords({amount, currency}: NonNullable<Usage['cost']>): string {
	const sign = Object.hasOwn(signs, currency) ? signs[currency] : undefined;
	const isTiny = amount > 0 && amount < smallest;
	const number = digitsOf(isTiny ? smallest : amount);
	const words = sign === undefined ? `${number} ${currency}` : `${sign}${number}`;
	return isTiny ? `<${words}` : words;
}

const digitsOf = (amount: number): string =>
	amount === 0 || amount >= 0.1
		? amount.toFixed(2).replaceAll(/\B(?=(?:\d{3})+\.)/g, ',')
		: String(Number(amount.toFixed(Math.min(6, 1 - Math.floor(Math.log10(amount))))));
