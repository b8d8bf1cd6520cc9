import type {JsonValue} from '../core/json.ts';
import {mayServeInsecure} from '../core/loopback.ts';
import type {Environment} from './environment.ts';
import {coalesceSchema, type RawRoute} from './route-schema.ts';
import {platformsToCome, targetOf} from './targets.ts';

/** Validation is skipped for a route with this secret. @see Interface 5.2 rule 3 */
export const insecureSecret = 'INSECURE_NO_AUTH';

/** What a route takes from its surroundings. */
export type RouteContext = {
	/** The profile that this gateway runs in. */
	readonly profile: string;
	/** Address of the receiver. */
	readonly host: string;
	/** The global secrets. */
	readonly secrets: readonly string[];
	readonly rateLimit: number;
	readonly maxBodyBytes: number;
	/** For references in secrets of subscriptions. */
	readonly environment: Environment;
};

/** A route before it is one: as written, with the secrets that apply to it. */
export type RouteDraft = {
	readonly name: string;
	readonly raw: RawRoute;
	readonly secrets: readonly string[];
};

export type Refusal = {readonly code: string; readonly reason: string};

/**
 * Why a route cannot be served: the startup refusals of the contract, then what this version cannot do yet. Empty: it can.
 *
 * @see Interface 7 (webhook receiver), 5.2 rules 2 and 3, 2.9
 */
export function refusalsOf(draft: RouteDraft, context: RouteContext): readonly Refusal[] {
	const found = rules.filter(({applies}) => applies(draft, context));
	const lasting = found.filter(({code}) => code !== notAvailableYet);
	return (lasting.length > 0 ? lasting : found).map(({code, says}) => ({
		code,
		reason: `Route "${draft.name}" ${says(draft, context)}`,
	}));
}

type Rule = {
	readonly code: string;
	readonly applies: (draft: RouteDraft, context: RouteContext) => boolean;
	readonly says: (draft: RouteDraft, context: RouteContext) => string;
};

const notAvailableYet = 'not_available_yet';

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

const rules: readonly Rule[] = [
	{
		code: 'profile_invalid',
		applies: ({raw}) =>
			raw.profile !== undefined && (typeof raw.profile !== 'string' || raw.profile.trim() === ''),
		says: () => 'has a "profile" that is not a name: name a profile or remove the key',
	},
	{
		code: 'route_without_secret',
		applies: ({secrets}) => secrets.length === 0,
		says: ({raw}) =>
			raw.secret === undefined
				? 'has no secret: set its own or platforms.webhook.secret (WEBHOOK_SECRET)'
				: 'has an empty secret, which inherits nothing: set one, or remove the key to use the global one',
	},
	{
		code: 'deliver_only_without_target',
		applies: ({raw}) => raw.deliver_only === true && targetOf(raw.deliver) === 'log',
		says: () => 'has "deliver_only" with "deliver" absent or "log": set "deliver" to a real target',
	},
	{
		code: 'cron_job_with_deliver_only',
		applies: ({raw}) => raw.deliver_only === true && isSet(raw.cron_job),
		says: () => 'has "cron_job" together with "deliver_only": keep one of them',
	},
	{
		code: 'coalesce_with_deliver_only',
		applies: ({raw}) => raw.deliver_only === true && isSet(raw.coalesce),
		says: () => 'has "coalesce" together with "deliver_only": keep one of them',
	},
	{
		code: 'coalesce_with_cron_job',
		applies: ({raw}) => isSet(raw.coalesce) && isSet(raw.cron_job),
		says: () => 'has "coalesce" together with "cron_job": keep one of them',
	},
	{
		code: 'coalesce_invalid',
		applies: ({raw}) => isSet(raw.coalesce) && !coalesceSchema.safeParse(raw.coalesce).success,
		says: () =>
			'has an invalid "coalesce": it needs a "key", and "window_seconds" and "max_wait_seconds" must be numbers above 0',
	},
	{
		code: 'insecure_not_loopback',
		applies: ({secrets}, {host}) => secrets.includes(insecureSecret) && !mayServeInsecure(host),
		says: (_, {host}) =>
			`uses ${insecureSecret} while the receiver listens on "${host}": set a secret, or set platforms.webhook.host to 127.0.0.1`,
	},
	{
		code: 'forge_comment_incomplete',
		applies: ({raw}) =>
			targetOf(raw.deliver) === 'forge_comment' &&
			!isSet(raw.cron_job) &&
			missingForgeKeys(raw).length > 0,
		says: ({raw}) =>
			`delivers to "${raw.deliver}" without ${missingForgeKeys(raw).join(' and ')}: set what names the repository and the pull request`,
	},
	{
		code: notAvailableYet,
		applies: ({raw}, {profile}) => raw.profile !== undefined && raw.profile !== profile,
		says: (_, {profile}) =>
			`is bound to another profile: this version serves only the profile it runs in ("${profile}")`,
	},
	{
		code: notAvailableYet,
		applies: ({raw}) => isSet(raw.cron_job),
		says: () => 'has "cron_job": this version has no scheduled jobs yet',
	},
	{
		code: notAvailableYet,
		applies: ({raw}) => isSet(raw.coalesce),
		says: () => 'has "coalesce": this version does not gather events yet',
	},
	{
		// Its events would all fail as forgeries.
		code: notAvailableYet,
		applies: ({raw}) => isSet(raw.signature),
		says: () =>
			'has "signature": this version checks only the schemes that it recognises by their headers',
	},
	{
		// It promises that nothing above the rate limit is lost.
		code: notAvailableYet,
		applies: ({raw}) => raw.overflow === 'queue',
		says: () => 'has "overflow: queue": this version only rejects what is above the rate limit',
	},
	{
		code: notAvailableYet,
		applies: ({raw}) => platformsToCome.includes(targetOf(raw.deliver)) && !isSet(raw.cron_job),
		says: ({raw}) => `delivers to "${raw.deliver}": this version does not deliver there yet`,
	},
];

const missingForgeKeys = ({deliver_extra: extra}: RawRoute): readonly string[] =>
	['repo', 'pr_number']
		.filter(key => !isGiven(extra && Object.hasOwn(extra, key) ? extra[key] : undefined))
		.map(key => `deliver_extra.${key}`);

const isGiven = (value: JsonValue | undefined): boolean =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');

/** The secrets in a value of `secret`; blank ones are none. */
export const secretsIn = (written: string | readonly string[] | null | undefined) =>
	[written ?? []].flat().filter(secret => secret.trim() !== '');
