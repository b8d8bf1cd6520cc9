import {z} from 'zod';
import {filterSchema} from './filter-schema.ts';
import {
	anyJson,
	checked,
	looseSetting,
	seconds,
	secret,
	setting,
	text,
	texts,
	wholeNumber,
} from './schema-parts.ts';
import {deliverValues} from './targets.ts';

const largestBody = 100 * 1024 * 1024;
const longestScriptSeconds = 600;
const day = 24 * 60 * 60;

export const rateLimit = setting(wholeNumber(1, 1_000_000), {
	description: 'Requests per minute and route',
	default: 30,
});

export const maxBodyBytes = setting(wholeNumber(1, largestBody), {
	description: 'Largest payload in bytes',
	default: 1024 * 1024,
});

/** `coalesce` of a route. A wrong one refuses the receiver, not the file, hence apart. @see Interface 2.10 */
export const coalesceSchema = z.object({
	key: text.meta({description: 'Payload field or template that names the entity'}),
	window_seconds: setting(seconds(day), {description: 'Quiet window', default: 30}),
	max_wait_seconds: setting(seconds(7 * day), {
		description: 'Longest wait from the first event of a group',
		default: 300,
	}),
});

const coalesceNotes: Readonly<Record<string, unknown>> = {
	...z.toJSONSchema(coalesceSchema, {io: 'input'}),
	$schema: undefined,
	additionalProperties: false,
	description: 'Gather events of one entity into one run',
};

/** A route as it is written. @see Interface 2.5 */
export const routeSchema = z
	.object({
		events: setting(texts, {description: 'Event types to accept; empty or absent: all'}),
		secret: setting(secret, {
			description:
				'HMAC secret or token, or a list of which any passes; absent: the global one; INSECURE_NO_AUTH: no validation, loopback only',
		}),
		profile: looseSetting({type: 'string', description: 'Profile that may run this route'}),
		description: setting(z.string(), {description: 'For people'}),
		prompt: setting(z.string(), {
			description: 'Template; absent: the payload as indented JSON',
		}),
		filters: setting(z.union([z.array(filterSchema), filterSchema]), {
			description: 'An event passes only when every entry matches',
		}),
		script: setting(text, {description: 'Filter or transform script under scripts/'}),
		script_timeout_seconds: setting(seconds(longestScriptSeconds), {
			description: 'When the script is ended',
			default: 30,
		}),
		retry_on_script_failure: setting(z.boolean(), {
			description: 'Answer 503 when the script fails, so that the sender tries again',
			default: false,
		}),
		skills: setting(texts, {description: 'The first skill that is found is loaded'}),
		toolsets: setting(texts, {description: 'Replaces the toolsets of the platform'}),
		deliver: setting(z.enum(deliverValues), {
			description: 'Where the answer goes',
			default: 'log',
		}),
		deliver_extra: setting(z.record(z.string(), anyJson), {
			description: 'Keys of the target; texts are templates',
		}),
		deliver_only: setting(z.boolean(), {
			description: 'Deliver the rendered prompt, without an agent',
			default: false,
		}),
		cron_job: setting(text, {description: 'ID or name of a scheduled job to fire'}),
		coalesce: looseSetting(coalesceNotes),
		mirror_to_session: looseSetting({
			type: 'boolean',
			description: 'Append what was delivered to the session of the chat; only exactly true counts',
			default: false,
		}),
		rate_limit: rateLimit,
		max_body_bytes: maxBodyBytes,
		dedupe_body: setting(z.boolean(), {
			description: 'A byte-identical body within the hour is a duplicate too',
			default: false,
		}),
		overflow: setting(z.enum(['reject', 'queue']), {
			description: 'What happens above the rate limit',
			default: 'reject',
		}),
		concurrency: setting(wholeNumber(1, 1000), {description: 'Runs of this route at a time'}),
		signature: setting(z.union([z.string(), z.record(z.string(), z.unknown())]), {
			description: 'How the sender signs, beyond the schemes that are recognised',
		}),
	})
	.meta({id: 'route', description: 'A webhook route'});

/** A route as it is written, checked. */
export type RawRoute = z.output<typeof routeSchema>;

const routeName = /^(?!__proto__$)[A-Za-z0-9_][A-Za-z0-9._~-]{0,127}$/;

/** Why `name` cannot be a route's: it must be one segment of a URL as it stands. `undefined`: it can. */
export const problemWithRouteName = (name: string): string | undefined =>
	routeName.test(name)
		? undefined
		: 'is not a route name: 1 to 128 characters of A-Z, a-z, 0-9, "_", ".", "~" and "-", and a letter, a digit or "_" first';

export const routesSchema = z.record(checked(z.string(), problemWithRouteName), routeSchema);
