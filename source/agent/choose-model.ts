import {createHash} from 'node:crypto';
import type {Config, ModelConfig} from '../config/config.ts';
import type {Clock} from '../core/clock.ts';
import type {ModelView} from '../core/config-view.ts';
import {SvcError} from '../core/errors.ts';
import {isLoopbackHost} from '../core/hosts.ts';
import type {ModelPrice} from '../core/run.ts';
import {escapeLine} from '../core/untrusted.ts';
import {askForModels, type ModelAnswer} from './ask-for-models.ts';
import {listLocalModels, localBaseUrls} from './local-server.ts';
import {offlineModelName} from './offline-model.ts';
import {
	baseUrlOf,
	hostedProviders,
	isHosted,
	type LanguageModelV4,
	loadModel,
	misconfigured,
	type ModelSpec,
} from './providers.ts';

/** The chosen model. Nothing has been loaded or sent yet. */
export type ChosenModel = {
	readonly view: ModelView;
	/** The configured price, if this is the configured model. */
	readonly price?: ModelPrice;
	/** Host and port that calls go to; absent for the offline model. */
	readonly host?: string;
	/** Called when a call of the model has ended: successfully, or with a failure after all retries. Must not throw. */
	readonly heard?: (failure?: SvcError) => void;
	/** Loads the provider's package. @throws SvcError `model_misconfigured` */
	load(): Promise<LanguageModelV4>;
};

/** A provider whose key was found, but which costs money: used only if a person writes it into `model.provider`. */
type PaidOffer = {readonly view: ModelView};

/** A model whose server can be queried. */
type AskedModel = ChosenModel & {
	/** Asks the provider which models it has, which is free; `undefined` for the offline model. Rejects without an answer. */
	ask(signal: AbortSignal): Promise<ModelAnswer | undefined>;
	/** Where requests go that do not use the provider's package; `undefined` for the offline model. */
	readonly chatAddress: ChatAddress | undefined;
};

export type ModelChoice = AskedModel & {
	/** Models that a person could choose instead, in order of preference. */
	readonly offers: readonly PaidOffer[];
};

export type ChooseModelOptions = {
	readonly clock: Clock;
	/** For calls of the chosen model, and for asking local servers. @see createModelFetch */
	readonly fetch: typeof globalThis.fetch;
	/** Where to look for model servers on this machine. */
	readonly localServers?: readonly string[];
};

type Hosted = keyof typeof hostedProviders;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant object of this program
const hostedNames = Object.keys(hostedProviders) as readonly Hosted[];

function keyIn(
	environment: Config['environment'],
	names: readonly string[],
): {readonly name: string; readonly value: string} | undefined {
	const found = names.flatMap(name => {
		const value = Object.hasOwn(environment, name) ? environment[name]?.trim() : undefined;
		return value ? [{name, value}] : [];
	});
	return found[0];
}

/**
 * A text that differs whenever {@link chooseModel} could choose differently for these two configurations; local servers aside.
 * It is a digest: no key can be read from it.
 */
export function modelInputs({model, environment}: Pick<Config, 'model' | 'environment'>): string {
	const keys = hostedNames.map(provider => keyIn(environment, hostedProviders[provider].keyNames));
	return createHash('sha256')
		.update(JSON.stringify([model, keys]))
		.digest('hex');
}

/** The name may come from a local server, so the shown one is cleaned; the one sent is not. */
const viewOf = ({provider, name}: ModelSpec, origin: string): ModelView => ({
	provider,
	name: escapeLine(name, 200),
	origin,
});

function choose(spec: ModelSpec, origin: string, {fetch}: ChooseModelOptions): AskedModel {
	const host = baseUrlOf(spec)?.host;
	return {
		view: viewOf(spec, origin),
		...(host !== undefined && {host}),
		load: async () => loadModel(spec, {fetch}),
		ask: async signal => askForModels(spec, {fetch, signal}),
		chatAddress: chatAddressOf(spec),
	};
}

const offlineSpec: ModelSpec = {provider: 'offline', name: offlineModelName};

/** The entry of the configuration, completed; a gap that only the operator can fill is an error. */
async function configured(
	provider: ModelView['provider'],
	{model, environment}: Pick<Config, 'model' | 'environment'>,
	options: ChooseModelOptions,
): Promise<AskedModel> {
	if (provider === 'offline') {
		return choose(offlineSpec, 'configured', options);
	}

	const keyNames = isHosted(provider) ? hostedProviders[provider].keyNames : [];
	const apiKey = model.apiKey || keyIn(environment, keyNames)?.value;
	if (isHosted(provider) && !apiKey) {
		throw misconfigured(provider, `set model.api_key, or ${keyNames[0]} in the environment`);
	}

	const name = model.name || (await firstListed(provider, model, options));
	const spec = {
		provider,
		name,
		...(model.baseUrl && {baseUrl: model.baseUrl}),
		...(apiKey && {apiKey}),
	};
	return {...choose(spec, 'configured', options), ...(model.price && {price: model.price})};
}

/** Only a server on this machine is asked for its models; any other provider needs a configured name. */
async function firstListed(
	provider: ModelView['provider'],
	{baseUrl}: ModelConfig,
	{clock, fetch}: ChooseModelOptions,
): Promise<string> {
	const url = baseUrlOf({provider, ...(baseUrl && {baseUrl})});
	if (provider !== 'openai-compatible' || !url || !isLoopbackHost(url.hostname)) {
		throw misconfigured(provider, 'model.name is not set');
	}

	const [first] = await listLocalModels(url.href, {clock, fetch});
	if (first === undefined) {
		const text = `Cannot ask ${url.host} which models it has: is it running? Or set model.name`;
		throw new SvcError('model_unreachable', text);
	}

	return first;
}

async function local(
	wanted: string | undefined,
	options: ChooseModelOptions,
): Promise<AskedModel | undefined> {
	const {clock, fetch, localServers = localBaseUrls} = options;
	const lists = await Promise.all(
		localServers.map(async baseUrl => {
			const models = await listLocalModels(baseUrl, {clock, fetch});
			const name = models.find(model => wanted === undefined || model === wanted);
			return name === undefined
				? undefined
				: ({provider: 'openai-compatible', name, baseUrl} as const);
		}),
	);
	const spec = lists.find(found => found !== undefined);
	return spec && choose(spec, `found at ${spec.baseUrl}`, options);
}

/**
 * Chooses the model: the configured one; with `provider: auto` and no `base_url`, the first local server that lists a chat model, otherwise the offline model. Providers
 * whose key is in the environment (Anthropic, OpenAI, Google) are then only offered: they cost money. With `auto`, a `name` narrows the search, and not finding it is an
 * error.
 *
 * @throws SvcError `model_misconfigured`, `model_unreachable`, `model_not_found`; never falls back from what was configured.
 * @see manual/model.md#how-it-is-chosen
 */
export async function chooseModel(
	config: Pick<Config, 'model' | 'environment'>,
	options: ChooseModelOptions,
): Promise<ModelChoice> {
	const {model, environment} = config;
	if (model.broken !== undefined) {
		throw new SvcError('model_misconfigured', `Cannot tell which model is meant: ${model.broken}`);
	}

	if (model.provider !== 'auto') {
		return {...(await configured(model.provider, config, options)), offers: []};
	}

	if (model.baseUrl) {
		return {...(await configured('openai-compatible', config, options)), offers: []};
	}

	if (model.apiKey) {
		const text = 'Cannot tell whose key model.api_key is: set model.provider or model.base_url';
		throw new SvcError('model_misconfigured', text);
	}

	const wanted = model.name || undefined;
	const offers = hostedNames.flatMap((provider): readonly PaidOffer[] => {
		const {keyNames, defaultModel} = hostedProviders[provider];
		const key = keyIn(environment, keyNames);
		const spec = {provider, name: wanted ?? defaultModel};
		return key ? [{view: viewOf(spec, `${key.name} is in the environment`)}] : [];
	});

	const found = await local(wanted, options);
	if (!found && wanted !== undefined) {
		const provider = offers[0] ? ` to ${offers[0].view.provider}, whose key is there,` : '';
		throw new SvcError(
			'model_not_found',
			`Cannot find model "${wanted}": no local server lists it; set model.provider${provider} or model.base_url for a server of your own`,
		);
	}

	return {...(found ?? choose(offlineSpec, 'no model is configured', options)), offers};
}

/** Where a model is reached by OpenAI's API, which all hosted providers have besides their own. */
type ChatAddress = {
	/** URL of its chat completions. */
	readonly url: string;
	/** Includes the key. */
	readonly headers: Readonly<Record<string, string>>;
	/** The provider's name of the model. */
	readonly model: string;
	/** The field that limits the answer: newer models of OpenAI refuse the older name, most other servers know no other. */
	readonly limitField: 'max_tokens' | 'max_completion_tokens';
};

const paths: Partial<Record<ModelSpec['provider'], string>> = {google: '/openai'};

/** The address for the model of `spec`; `undefined` for the offline model. @throws SvcError `model_misconfigured` */
function chatAddressOf(spec: ModelSpec): ChatAddress | undefined {
	const url = baseUrlOf(spec);
	if (!url) {
		return undefined;
	}

	const {provider, name, apiKey} = spec;
	const base = url.pathname.replace(/\/+$/, '');
	// A configured base URL may already end with this path.
	const path = paths[provider] ?? '';
	url.pathname = `${base.endsWith(path) ? base : `${base}${path}`}/chat/completions`;
	return {
		url: url.href,
		headers: apiKey ? {authorization: `Bearer ${apiKey}`} : {},
		model: name,
		limitField: provider === 'openai' ? 'max_completion_tokens' : 'max_tokens',
	};
}
