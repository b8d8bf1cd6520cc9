import type {ChosenModel} from '../../source/agent/choose-model.ts';
import {createModelFetch} from '../../source/agent/model-fetch.ts';
import {loadModel} from '../../source/agent/providers.ts';
import {createAgentRunner} from '../../source/agent/run-agent.ts';
import type {AgentRequest, AgentRunner} from '../../source/agent/runner.ts';
import type {Clock} from '../../source/core/clock.ts';
import {silentLogger} from '../../source/core/log.ts';
import type {TranscriptEntry, WorkDone, ModelPrice} from '../../source/core/run.ts';
import type {Approve, Tool} from '../../source/core/tool.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

export const apiKey = 'sk-very-secret-key';

export type Agent = AgentRunner & {
	/** Everything that was written down. */
	readonly entries: TranscriptEntry[];
	/** What it came to, after each answer of the model. */
	readonly work: WorkDone[];
	/** `kind: text` of each entry but the prompt and the model. */
	story(): string[];
	/** Runs `prompt` with sensible values for the rest. */
	ask(prompt: string, request?: Partial<AgentRequest>): ReturnType<AgentRunner['run']>;
	[Symbol.asyncDispose](): Promise<void>;
};

/** A runner whose model is the OpenAI-compatible server at `baseUrl` (the offline model without one), with a fake clock. */
export function createAgent({
	baseUrl,
	clock = createFakeClock(1_000),
	approve,
	maxRetries = 0,
	maxAnswerBytes,
	price,
}: {
	readonly baseUrl?: string;
	readonly clock?: Clock;
	readonly approve?: Approve;
	readonly maxRetries?: number;
	readonly maxAnswerBytes?: number;
	readonly price?: ModelPrice;
} = {}): Agent {
	const modelFetch = createModelFetch(maxAnswerBytes === undefined ? {} : {maxAnswerBytes});
	const provider = baseUrl === undefined ? ('offline' as const) : ('openai-compatible' as const);
	const name = baseUrl === undefined ? 'svc-offline-1' : 'scripted-1';
	const chosen: ChosenModel = {
		view: {provider, name, origin: 'configured'},
		...(price && {price}),
		...(baseUrl !== undefined && {host: new URL(baseUrl).host}),
		load: async () =>
			loadModel(
				{provider, name, apiKey, ...(baseUrl !== undefined && {baseUrl})},
				{fetch: modelFetch.fetch},
			),
	};
	const runner = createAgentRunner(
		{
			clock,
			model: async () => chosen,
			redact: text => text.replaceAll(apiKey, '***'),
			log: silentLogger,
			...(approve && {approve}),
		},
		{maxRetries},
	);

	const entries: TranscriptEntry[] = [];
	const work: WorkDone[] = [];
	return {
		...runner,
		entries,
		work,
		story: () =>
			entries
				.filter(({kind, text}) => kind !== 'prompt' && !text.startsWith('Model: '))
				.map(({kind, text}) => `${kind}: ${text}`),
		ask: async (prompt, request = {}) =>
			runner.run({
				runId: 7,
				prompt,
				tools: [],
				maxSteps: 20,
				maxSchemaTokens: 20_000,
				timeoutMs: 900_000,
				onEntry(entry) {
					entries.push(entry);
				},
				onWork(done) {
					work.push(done);
				},
				beforeSideEffect: async () => {},
				signal: new AbortController().signal,
				...request,
			}),
		[Symbol.asyncDispose]: async () => modelFetch[Symbol.asyncDispose](),
	};
}

/** A read-only tool that needs no approval and answers `found`, unless told otherwise. */
export const createTool = (tool: Partial<Tool> = {}): Tool => ({
	name: 'lookup',
	description: 'Looks something up',
	inputSchema: {type: 'object', properties: {id: {type: 'number'}}},
	readOnly: true,
	needsApproval: false,
	execute: async () => ({text: 'found'}),
	...tool,
});
