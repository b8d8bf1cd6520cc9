import type {ModelView} from '../core/config-view.ts';
import {type JsonObject, isJsonObject, parsedJson} from '../core/json.ts';
import {readBounded} from './local-server.ts';
import {limitsIn, type ModelLimits, baseUrlOf, type ModelSpec} from './providers.ts';

/** A provider's answer to the question which models it has. */
export type ModelAnswer = {
	/** HTTP status. */
	readonly status: number;
	/** The provider's clock, as in the `Date` header. */
	readonly date?: string;
	/** Whether it lists the model; absent where it gave no list. */
	readonly lists?: boolean;
	/** The limits it reports for the model. */
	readonly limits?: ModelLimits;
};

type Asking = {
	readonly query?: string;
	readonly headers: (key: string) => Readonly<Record<string, string>>;
};

const bearer: Asking = {
	headers: key => (key === '' ? {} : {authorization: `Bearer ${key}`}),
};

/** For each provider, the query for all of its models, and the header for the key. */
const askings: Readonly<Record<ModelView['provider'], Asking>> = {
	offline: bearer,
	openai: bearer,
	'openai-compatible': bearer,
	anthropic: {
		query: '?limit=1000',
		headers: key => ({'x-api-key': key, 'anthropic-version': '2023-06-01'}),
	},
	google: {query: '?pageSize=1000', headers: key => ({'x-goog-api-key': key})},
};

/**
 * Asks the provider of `spec` for its models with `GET /models`: the cheapest call that needs the key. `undefined` for the offline model. Rejects when no server answers or
 * `signal` aborts.
 *
 * @throws SvcError `model_misconfigured`
 */
export async function askForModels(
	spec: ModelSpec,
	{fetch, signal}: {readonly fetch: typeof globalThis.fetch; readonly signal: AbortSignal},
): Promise<ModelAnswer | undefined> {
	const url = baseUrlOf(spec);
	if (!url) {
		return undefined;
	}

	const {query = '', headers} = askings[spec.provider];
	const response = await fetch(`${url.href.replace(/\/+$/, '')}/models${query}`, {
		redirect: 'manual',
		signal,
		headers: {accept: 'application/json', ...headers(spec.apiKey ?? '')},
	});
	const date = response.headers.get('date');
	const text = response.body ? await readBounded(response.body) : undefined;
	const models = response.ok ? modelsIn(text) : new Map<string, JsonObject>();
	const model = models.get(spec.name);
	return {
		status: response.status,
		...(date !== null && {date}),
		...(models.size > 0 && {lists: model !== undefined}),
		...(model && {limits: limitsIn(model)}),
	};
}

/** Entries by name from a list in the format of OpenAI and Anthropic (`data`, `id`) or Google (`models`, `name`). */
function modelsIn(text: string | undefined): ReadonlyMap<string, JsonObject> {
	const list = parsedJson(text ?? '');
	const entries = isJsonObject(list) ? [list['data'], list['models']].find(Array.isArray) : [];
	return new Map(
		(entries ?? []).filter(isJsonObject).flatMap(entry => {
			const name = entry['id'] ?? entry['name'];
			return typeof name === 'string' ? [[name.replace(/^models\//, ''), entry] as const] : [];
		}),
	);
}
