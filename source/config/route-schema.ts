import {z} from 'zod';
import {prefetchKinds} from '../core/run.ts';
import {
	flag,
	anyJson,
	checked,
	isoTime,
	looseSetting,
	seconds,
	secret,
	setting,
	nonEmptyText,
	nonEmptyTexts,
	nonBlankText,
	webAddress,
	wholeNumber,
} from '../core/schema-parts.ts';
import {defineSettings} from '../core/settings.ts';
import {defaultTarget, deliverValues, targetOf} from '../platforms/platforms.ts';
import {coalesceJson, coalesceOf, coalesceSettings} from './coalesce-schema.ts';
import {filterSchema} from './filter-schema.ts';
import type {FilterSpec} from './route.ts';
import {
	headerName,
	lowerCase,
	signatureJson,
	signatureOf,
	signatureSettings,
} from './signature-schema.ts';

const bodyCeilingBytes = 100 * 1024 * 1024;
const maxScriptSeconds = 600;

export const rateLimit = setting(wholeNumber(1, 1_000_000), 'Requests per minute and route', {
	default: 30,
});

export const maxBodyBytes = setting(wholeNumber(1, bodyCeilingBytes), 'Largest payload in bytes', {
	default: 1024 * 1024,
});

const maxRetired = 50;

const retiredSecret = z.object({
	secret: z.string().meta({description: 'A secret that was replaced', 'x-secret': true}),
	until: isoTime.meta({description: 'It passes until then; afterwards it only explains refusals'}),
});

const maxFieldLength = 256;
const maxNames = 20;

const day = checked(z.string(), value =>
	/^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
		? undefined
		: 'must be a day, as 2026-11-20',
);

const fieldPath = checked(z.string(), value =>
	value.trim() !== '' && value.length <= maxFieldLength
		? undefined
		: `must be a dotted path of 1 to ${maxFieldLength} characters`,
);

const oneOrMore = <Schema extends z.ZodType>(schema: Schema) =>
	z.union([schema, z.array(schema).min(1).max(maxNames)]);

const listOf = (written: string | readonly string[]): readonly string[] => [written].flat();

const lowerCases = (written: string | readonly string[]): readonly string[] =>
	listOf(written).map(lowerCase);

/** A route. @see manual/routes.md#keys */
export const routeSettings = defineSettings({
	events: setting(
		nonEmptyTexts,
		'Event types to accept; empty or absent: all, but `ping` only when it is listed',
		{default: []},
	),
	secret: setting(
		secret,
		'HMAC secret or token; each secret of a list is accepted; absent: the global secret; empty: no secret, not even the global one. `INSECURE_NO_AUTH`: no check, on loopback only',
		{at: ['secrets'], secret: true},
	),
	retired_secrets: setting(
		z.array(retiredSecret).max(maxRetired),
		'List of `{secret, until}` that `svc webhook rotate` writes: a replaced secret is accepted until `until` (ISO 8601, with its offset). For 30 days after that it is only used to explain refusals; a later rotation then removes it',
		{at: ['retiredSecrets'], secret: true},
	),
	rotated_on: setting(day, 'The day on which svc made or changed `secret` last, as `2026-11-20`'),
	profile: looseSetting(
		{type: 'string'},
		'The only [profile](profiles.md) that serves this route, below `/p/<profile>/`; absent: `default`',
		{at: ['profile']},
	),
	enabled: flag(
		true,
		'`false` [pauses the route](#pause-a-route): until it is `true` again, events that would start something are answered 503 and kept',
	),
	description: setting(z.string(), 'For people', {default: '', lines: true}),
	prompt: setting(
		z.string(),
		'[Template](filters-and-templates.md#templates); absent: the payload as indented JSON',
		{lines: true},
	),
	subject: setting(
		z.string(),
		'The line that lists show for an event: a [template](filters-and-templates.md#subjects); absent, or if the payload lacks a key of the template: the default subject for the sender',
	),
	filters: setting(
		z.union([z.array(filterSchema), filterSchema]),
		'One [filter](filters-and-templates.md#filters) or a list: an event passes only when every one matches',
		{default: [], to: (written): readonly FilterSpec[] => [written].flat()},
	),
	script: setting(
		nonEmptyText,
		'Filter or transform script in `scripts/`; `.sh` and `.bash` run with bash, everything else with Python',
	),
	script_timeout_seconds: setting(seconds(maxScriptSeconds), 'Time limit of the script', {
		default: 30,
		unit: 'seconds',
	}),
	retry_on_script_failure: flag(
		false,
		'Answer 503 if the script fails, so that the sender tries again',
	),
	skills: setting(
		nonEmptyTexts,
		'The first [skill](skills.md) that is found is loaded; no effect with `deliver_only` and `cron_job`',
		{default: []},
	),
	toolsets: setting(
		nonEmptyTexts,
		'Toolsets in place of `svc-webhook`; an empty list: no tools. `svc webhook list` reports a name that gives no tool as a problem',
		{byHand: true},
	),
	prefetch: setting(
		z.array(z.enum(prefetchKinds)).max(prefetchKinds.length),
		'What [the gateway fetches](prefetch.md) before the agent starts: `diff` is the diff of the pull request; `checkout` is its files, in which `terminal` and `file` work',
		{default: []},
	),
	deliver: setting(
		z.enum(deliverValues),
		'[Where the answer goes](delivery.md); `github_comment` is another name of `forge_comment`',
		{default: defaultTarget, to: (written): string => targetOf(written)},
	),
	deliver_extra: setting(z.record(z.string(), anyJson), 'Keys of the target; texts are templates', {
		default: {},
	}),
	deliver_only: flag(false, 'No agent: the rendered prompt is the message'),
	cron_job: setting(nonBlankText, 'ID or name of a [job](jobs.md) that each event fires'),
	coalesce: looseSetting(coalesceJson, '[Gather events](#coalescing) of one entity into one run', {
		to: coalesceOf,
		inner: coalesceSettings,
	}),
	mirror_to_session: looseSetting(
		{type: 'boolean'},
		'Append the delivered text to the session of the chat; only exactly `true` counts',
		{default: false, to: (written: unknown): boolean => written === true},
	),
	rate_limit: rateLimit,
	max_body_bytes: maxBodyBytes,
	dedupe_body: flag(
		false,
		'A byte-identical body within an hour is a duplicate; not if the identifier is signed, because then only identifiers are compared',
	),
	overflow: setting(
		z.enum(['reject', 'queue']),
		'[Above `rate_limit`](receiver.md#above-the-rate): `reject` answers 429, `queue` accepts and runs later',
		{default: 'reject'},
	),
	public_url: setting(
		webAddress,
		'The URL that the sender was given, for a `signature` that covers it (`twilio`); its query is taken from the request, not from this key',
	),
	event_header: setting(
		oneOrMore(headerName),
		'Header that names the event, or a list of headers; [looked at before the general ones](receiver.md#events-and-identifiers)',
		{as: 'eventHeaders', to: lowerCases},
	),
	event_field: setting(
		oneOrMore(fieldPath),
		'Field of the payload that names the event (`event.event_type`), or a list of fields; looked at before headers',
		{as: 'eventFields', to: listOf},
	),
	id_header: setting(
		oneOrMore(headerName),
		'Header with the identifier, which is the same at each retry, or a list of headers; looked at before the general ones',
		{as: 'idHeaders', to: lowerCases},
	),
	id_field: setting(
		oneOrMore(fieldPath),
		'Field of the payload with the identifier (`event.id`), or a list of fields; looked at before headers',
		{as: 'idFields', to: listOf},
	),
	cloudevents: setting(
		z.union([z.boolean(), nonEmptyTexts]),
		'Senders use [CloudEvents](receiver.md#cloudevents): their `type` is the event, their `source` and `id` the identifier. `true`: their handshake is answered; a list of origins: only the handshakes of these origins are answered',
		{default: false},
	),
	concurrency: setting(
		wholeNumber(1, 1000),
		"Runs of this route at a time; absent: only the gateway's bound",
	),
	loop_limit: setting(
		wholeNumber(0, 10_000),
		'[Answers to one pull request or issue](runs.md#loops) within `loop_window_seconds`; after that many, further runs for it wait for a person; 0: no limit',
		{default: 20},
	),
	loop_window_seconds: setting(
		seconds(24 * 60 * 60),
		'Time in which `loop_limit` counts, at most a day',
		{default: 600, unit: 'seconds'},
	),
	signature: looseSetting(
		signatureJson,
		'[How the sender signs](signatures.md#the-signature-of-a-route), beyond the schemes that are recognised by their headers',
		{to: signatureOf, inner: signatureSettings},
	),
});

export const routeSchema = routeSettings.schema.meta({
	id: 'route',
	description: 'A webhook route',
});

/** A route as it is written, checked. */
export type RawRoute = z.output<typeof routeSchema>;

const routeName = /^(?!__proto__$)[A-Za-z0-9_][A-Za-z0-9._~-]{0,127}$/;

/** Why `name` cannot be a route's: it must be one segment of a URL as it stands. `undefined`: it can. */
export const problemWithRouteName = (name: string): string | undefined =>
	routeName.test(name)
		? undefined
		: 'is not a route name: 1 to 128 characters of A-Z, a-z, 0-9, "_", ".", "~" and "-", and a letter, a digit or "_" first';

export const routesSchema = z.record(checked(z.string(), problemWithRouteName), routeSchema);
