import {z} from 'zod';
import {checked, seconds, setting, text, wholeNumber} from '../core/schema-parts.ts';
import type {Config, ModelConfig, RunsConfig} from './config.ts';

const providers = [
	'auto',
	'openai-compatible',
	'openai',
	'anthropic',
	'google',
	'offline',
] as const;

const secondMs = 1000;
const daySeconds = 24 * 60 * 60;
const dayMs = daySeconds * secondMs;
const longestRetentionDays = 3650;

const webAddress = checked(text, value =>
	/^https?:$/.test(URL.parse(value)?.protocol ?? '')
		? undefined
		: 'must be a URL that starts with http:// or https://',
);

/** `model`. @see manual/runs.md#bounds */
export const modelSchema = z
	.object({
		provider: setting(z.enum(providers), {description: 'Who answers', default: 'auto'}),
		name: setting(text, {description: "The provider's name of the model"}),
		base_url: setting(webAddress, {description: 'Root of the API, with its version segment'}),
		api_key: setting(z.string(), {description: 'Best a reference: ${OPENAI_API_KEY}'}),
		allow_offline_delivery: setting(z.boolean(), {
			description: 'Deliver texts of the offline engine to real targets',
			default: false,
		}),
	})
	.nullish()
	.transform((model): ModelConfig => ({
		provider: model?.provider ?? 'auto',
		...(model?.name && {name: model.name}),
		...(model?.base_url && {baseUrl: model.base_url}),
		...(model?.api_key && {apiKey: model.api_key}),
		allowOfflineDelivery: model?.allow_offline_delivery ?? false,
	}))
	.meta({description: 'The language model'});

/** `runs`. @see manual/routes.md#keys, manual/runs.md#bounds */
export const runsSchema = z
	.object({
		concurrency: setting(wholeNumber(1, 100), {description: 'Runs at a time', default: 4}),
		max_queued: setting(wholeNumber(1, 1_000_000), {
			description: 'Runs that may wait; above it the receiver answers 503',
			default: 1000,
		}),
		max_steps: setting(wholeNumber(1, 1000), {description: 'Steps of one run', default: 20}),
		timeout_seconds: setting(seconds(daySeconds), {
			description: 'When a run is ended',
			default: 900,
		}),
		tries: setting(wholeNumber(1, 20), {
			description: 'Tries of the agent, for failures that may pass',
			default: 3,
		}),
		delivery_tries: setting(wholeNumber(1, 20), {
			description: 'Tries to hand over an answer',
			default: 3,
		}),
	})
	.nullish()
	.transform((runs): RunsConfig => ({
		concurrency: runs?.concurrency ?? 4,
		maxQueued: runs?.max_queued ?? 1000,
		maxSteps: runs?.max_steps ?? 20,
		timeoutMs: (runs?.timeout_seconds ?? 900) * secondMs,
		tries: runs?.tries ?? 3,
		deliveryTries: runs?.delivery_tries ?? 3,
	}))
	.meta({description: 'Agent runs'});

/** `forge`. */
export const forgeSchema = z
	.object({cli: setting(text, {description: "The code host's client", default: 'gh'})})
	.nullish()
	.transform((forge): Config['forge'] => ({cli: forge?.cli ?? 'gh'}))
	.meta({description: 'The code host'});

/** `metrics`. @see manual/routes.md#keys */
export const metricsSchema = z
	.object({
		host: setting(text, {
			description: 'Who may read /metrics: this machine alone, or whoever reaches this address',
			default: '127.0.0.1',
		}),
	})
	.nullish()
	.transform((metrics): Config['metrics'] => ({host: metrics?.host ?? '127.0.0.1'}))
	.meta({description: 'The metrics endpoint'});

/** `retention`. */
export const retentionSchema = z
	.object({
		body_days: setting(z.number().gt(0).max(longestRetentionDays), {
			description: 'How long request bodies are kept',
			default: 7,
		}),
		body_bytes: setting(wholeNumber(0, Number.MAX_SAFE_INTEGER), {
			description: 'How much of them is kept',
			default: 2 ** 30,
		}),
		row_days: setting(z.number().gt(0).max(longestRetentionDays), {
			description: 'How long deliveries and runs are listed',
			default: 30,
		}),
	})
	.nullish()
	.transform((retention): Config['retention'] => ({
		bodyMs: (retention?.body_days ?? 7) * dayMs,
		bodyBytes: retention?.body_bytes ?? 2 ** 30,
		rowMs: (retention?.row_days ?? 30) * dayMs,
	}))
	.meta({description: 'What is kept, and how long'});
