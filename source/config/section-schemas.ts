import {z} from 'zod';
import {
	flag,
	requiredSetting,
	seconds,
	setting,
	nonEmptyText,
	nonEmptyTexts,
	wholeNumber,
	webAddress,
} from '../core/schema-parts.ts';
import {defineSettings} from '../core/settings.ts';
import {embeddedStore, storeText} from './store-place.ts';

const providers = [
	'auto',
	'openai-compatible',
	'openai',
	'anthropic',
	'google',
	'offline',
] as const;

const daySeconds = 24 * 60 * 60;
const weekSeconds = 7 * daySeconds;
const maxRetentionDays = 3650;
/** Highest price of a million tokens, in any currency. */
const maxPrice = 1_000_000;

const unlessEmpty = (written: string): string | undefined => written || undefined;

const priceSettings = defineSettings({
	input: requiredSetting(
		z.number().min(0).max(maxPrice),
		'Price of a million input tokens of `name`: each run then shows its cost',
	),
	output: requiredSetting(z.number().min(0).max(maxPrice), 'The same for output tokens'),
	currency: setting(
		z.string().regex(/^[A-Z]{3}$/, 'must be a code of three letters, as USD'),
		'The currency of both',
		{default: 'USD'},
	),
});

/** `model`. @see manual/model.md#settings */
export const modelSettings = defineSettings({
	provider: setting(
		z.enum(providers),
		'Who answers: `auto`, `openai-compatible`, `openai`, `anthropic`, `google`, `offline`',
		{default: 'auto'},
	),
	name: setting(
		nonEmptyText,
		"The provider's name of the model; optional for a server on this machine",
	),
	base_url: setting(
		webAddress,
		"Root of the API, with its version segment; absent: the provider's",
		{
			// A URL may carry a password.
			hidden: true,
		},
	),
	api_key: setting(
		z.string(),
		'Best a reference: `${OPENAI_API_KEY}`; `openai`, `anthropic` and `google` also take their usual environment variable',
		{secret: true, to: unlessEmpty},
	),
	price: setting(priceSettings.schema, 'What a million tokens of `name` cost', {
		inner: priceSettings,
		to: priceSettings.read,
	}),
	allow_offline_delivery: flag(false, 'Deliver texts of the offline engine to real targets'),
});

/** `runs`. @see manual/runs.md#bounds */
export const runsSettings = defineSettings({
	concurrency: setting(wholeNumber(1, 100), 'Runs at a time', {default: 4}),
	max_queued: setting(
		wholeNumber(1, 1_000_000),
		'Runs that may wait; one route may use [nine tenths](runs.md#bounds). Above that the receiver answers 503. As many more may wait for a later start',
		{default: 1000},
	),
	max_steps: setting(wholeNumber(1, 1000), 'Steps of one run', {default: 20}),
	timeout_seconds: setting(seconds(daySeconds), 'Seconds after which a run is ended', {
		default: 900,
		unit: 'seconds',
	}),
	login_wait_seconds: setting(
		wholeNumber(0, weekSeconds),
		'How long a run [waits for a login](runs.md#waiting-for-a-login) to a tool server that its toolsets name; 0: not at all',
		{default: 3600, unit: 'seconds'},
	),
	tries: setting(wholeNumber(1, 20), 'Tries of the agent, for failures that may pass', {
		default: 3,
	}),
	delivery_tries: setting(wholeNumber(1, 20), 'Tries to hand over an answer', {default: 3}),
});

/** `metrics`. @see manual/metrics.md */
export const metricsSettings = defineSettings({
	host: setting(
		nonEmptyText,
		'Address at which `/metrics` may be read; `127.0.0.1`: this machine alone',
		{default: '127.0.0.1'},
	),
});

/** `retention`. @see manual/runs.md#what-is-kept */
export const retentionSettings = defineSettings({
	body_days: setting(z.number().gt(0).max(maxRetentionDays), 'How long request bodies are kept', {
		default: 7,
		unit: 'days',
	}),
	body_bytes: setting(wholeNumber(0, Number.MAX_SAFE_INTEGER), 'Bytes of bodies that are kept', {
		default: 2 ** 30,
	}),
	row_days: setting(
		z.number().gt(0).max(maxRetentionDays),
		'How long deliveries and runs are listed, and unused chat sessions kept',
		{default: 30, unit: 'days'},
	),
});

/** Visible characters in one line. */
const nodeName = z
	.string()
	.regex(
		/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u,
		'must be a name of 1 to 64 letters, digits, dots, hyphens and spaces',
	);

const storeKey = z
	.string()
	.refine(({length}) => length >= 16 && length <= 1024, 'must have 16 to 1,024 characters');

/** `gateway`. @see manual/profiles.md */
export const gatewaySettings = defineSettings({
	multiplex_profiles: flag(false, 'Serve several profiles under `/p/<profile>/`'),
	store: setting(
		storeText,
		'The store: `sqlite`, the file `state.db` of the home, or the URL of a PostgreSQL database that [several gateways](several-machines.md) share, `postgres://svc:${PGPASSWORD}@db.example.com/svc`',
		{
			default: embeddedStore,
			change: 'restart',
			// A URL may carry a password.
			hidden: true,
		},
	),
	node: setting(
		nodeName,
		"Name of this gateway among those that share its store; absent: the host's name",
		{change: 'restart'},
	),
	store_key: setting(
		storeKey,
		'A key of at least 16 characters that encrypts the secrets in the database, best a reference: `${SVC_STORE_KEY}`; every gateway on that database needs the same key',
		{secret: true, change: 'restart'},
	),
});

/** `tls`. @see manual/configuration.md#certificates */
export const tlsSettings = defineSettings({
	ca: setting(
		z.union([nonEmptyText, nonEmptyTexts]),
		'PEM files with certificate authorities: one path or a list; a path may begin with `~/` or is relative to the home. They are trusted in addition to the authorities of Node and of the system, for all connections except to a database (`gateway.store`)',
		{
			default: [],
			to: (written): readonly string[] => (typeof written === 'string' ? [written] : written),
		},
	),
});
