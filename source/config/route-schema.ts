import {z} from 'zod';
import {
	anyJson,
	checked,
	isoTime,
	looseSetting,
	seconds,
	secret,
	setting,
	text,
	texts,
	visibleText,
	wholeNumber,
} from '../core/schema-parts.ts';
import {defaultTarget, deliverValues} from '../targets/targets.ts';
import {coalesceNotes} from './coalesce-schema.ts';
import {filterSchema} from './filter-schema.ts';
import {signatureNotes} from './signature-schema.ts';

const largestBody = 100 * 1024 * 1024;
const longestScriptSeconds = 600;

export const rateLimit = setting(wholeNumber(1, 1_000_000), {
	description: 'Requests per minute and route',
	default: 30,
});

export const maxBodyBytes = setting(wholeNumber(1, largestBody), {
	description: 'Largest payload in bytes',
	default: 1024 * 1024,
});

const mostRetired = 50;

const retiredSecret = z.object({
	secret: z.string().meta({description: 'A secret that was replaced'}),
	until: isoTime.meta({description: 'It passes until then; afterwards it only explains refusals'}),
});

/** A route as it is written. @see manual/routes.md#keys */
export const routeSchema = z
	.object({
		events: setting(texts, {description: 'Event types to accept; empty or absent: all'}),
		secret: setting(secret, {
			description:
				'HMAC secret or token, or a list of which any passes; absent: the global one; INSECURE_NO_AUTH: no validation, loopback only',
		}),
		retired_secrets: setting(z.array(retiredSecret).max(mostRetired), {
			description:
				'Mappings `{secret, until}` that "svc webhook rotate" writes: each passes until then (ISO 8601, with its offset) and explains refusals for 30 days more',
		}),
		profile: looseSetting({
			type: 'string',
			description: 'Profile that alone may run this route, below /p/<profile>/; absent: default',
		}),
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
			default: defaultTarget,
		}),
		deliver_extra: setting(z.record(z.string(), anyJson), {
			description: 'Keys of the target; texts are templates',
		}),
		deliver_only: setting(z.boolean(), {
			description: 'Deliver the rendered prompt, without an agent',
			default: false,
		}),
		cron_job: setting(visibleText, {description: 'ID or name of a scheduled job to fire'}),
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
		signature: looseSetting(signatureNotes),
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
