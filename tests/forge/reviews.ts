import type {JsonObject} from '../../source/core/json.ts';
import type {RunState} from '../../source/core/run.ts';
import {startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {startScriptedModel, type ScriptedModel} from '../helpers/scripted-model.ts';
import {startForgeApi, type ForgeApi} from './forge-api.ts';

/** What became of the event of a pull request. */
export type Review = {
	readonly state: RunState | undefined;
	readonly attempt: number | undefined;
	/** Why its run failed. */
	readonly error: string | undefined;
	/** What the run says of its diff. */
	readonly note: string | undefined;
	/** The texts of the user message; empty when the model was not asked. */
	readonly texts: readonly string[];
	/** What stands between the borders of the second text. */
	readonly diff: string | undefined;
	/** From the event to the end of the work, model included. */
	readonly ms: number;
	/** What the client asked the code host for. */
	readonly asked: readonly string[];
};

export type Reviews = AsyncDisposable & {
	readonly api: ForgeApi;
	readonly model: ScriptedModel;
	readonly gateway: TestGateway;
	/** Sends a signed event about a pull request, and waits until there is nothing to do for now. */
	reviewOf(number: number, more?: JsonObject): Promise<Review>;
};

/** The event of a code host about a pull request. */
export const eventOf = (number: number, more: JsonObject = {}): JsonObject => ({
	action: 'synchronize',
	number,
	pull_request: {number, title: 'Change', state: 'open'},
	repository: {full_name: 'acme/api'},
	...more,
});

/** A gateway that reviews pull requests with the real `gh`, which asks a code host in this process. The model answers with `answer`. */
export async function openReviews(
	answer: (asked: number) => string = () => 'Reviewed',
): Promise<Reviews> {
	const stack = new AsyncDisposableStack();
	const api = stack.use(await startForgeApi());
	const model: ScriptedModel = stack.use(
		await startScriptedModel([], {otherwise: () => ({text: answer(model.requests.length)})}),
	);
	const gateway = stack.use(
		await startTestGateway({
			config: {
				model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
			},
			subscriptions: {
				review: {
					prompt: 'Review {repository.full_name}#{number}: {pull_request.title}',
					prefetch: ['diff'],
					deliver: 'forge_comment',
					deliver_extra: {
						repo: '{repository.full_name}',
						pr_number: '{number}',
						sticky: true,
					},
					rate_limit: 1000,
				},
			},
			environment: api.environment,
		}),
	);
	let runs = 0;
	return {
		api,
		model,
		gateway,
		async reviewOf(number, more) {
			const [requests, asked] = [model.requests.length, api.requests.length];
			const startedAt = performance.now();
			const {status, text} = await gateway.send('review', eventOf(number, more), {
				'x-github-event': 'pull_request',
			});
			if (status !== 202) {
				throw new Error(`the event was answered ${status}: ${text}`);
			}

			runs += 1;
			await gateway.gateway.idle();
			const ms = Math.round(performance.now() - startedAt);
			const run = await gateway.port.getRun(runs);
			const content: unknown = model.requests.at(requests)?.body.messages.at(-1).content;
			const texts = Array.isArray(content) ? content.map((part): string => part.text) : [];
			return {
				state: run?.state,
				attempt: run?.attempt,
				error: run?.error,
				note: run?.transcript.find(({data}) => data?.['prefetch'] === 'diff')?.text,
				texts,
				diff: /^<untrusted-diff [^>]+>\n([^]*)\n<\/untrusted-diff [^>]+>$/m.exec(
					texts[1] ?? '',
				)?.[1],
				ms,
				asked: api.requests
					.slice(asked)
					.map(({method, path}) => `${method} ${path.replace(/(since=).*/, '$1…')}`),
			};
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}
