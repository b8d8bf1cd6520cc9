import {mayServeInsecure} from '../core/hosts.ts';
import {reachesPeople, targetOf} from '../platforms/platforms.ts';
import type {TargetProblem} from '../platforms/target-kind.ts';
import {problemWithCoalesce} from './coalesce-schema.ts';
import type {Profiles} from './config.ts';
import type {KeyPath} from './plain-data.ts';
import {boundProfile} from './profiles.ts';
import type {RawRoute} from './route-schema.ts';
import type {Route} from './route.ts';
import {problemWithSecret, problemWithSecrets} from './secret-problem.ts';
import {hasHexKeys, problemWithSignature, signsAddress} from './signature-schema.ts';
import {targetProblem} from './target-problem.ts';

/** The secret that disables validation for a route. @see manual/signatures.md#schemes */
export const insecureSecret = 'INSECURE_NO_AUTH';

/** Whether a route accepts unsigned events. */
export const isUnsignedRoute = ({secrets}: Pick<Route, 'secrets'>): boolean =>
	secrets.includes(insecureSecret);

/** The settings outside of a route on which it depends. */
export type RouteContext = {
	/** The profile of this gateway. */
	readonly profile: string;
	/** Whether the gateway serves routes of other profiles. */
	readonly multiplexProfiles: boolean;
	/** Variables for references in secrets of dynamic routes. */
	readonly profiles: Profiles;
	/** Address of the receiver. */
	readonly host: string;
	/** The global secrets. */
	readonly secrets: readonly string[];
	readonly rateLimit: number;
	readonly maxBodyBytes: number;
};

/** A route before it is checked: as written, with the secrets that apply to it. */
export type RouteCandidate = {
	readonly name: string;
	/** The valid keys of the route. */
	readonly raw: RawRoute;
	readonly secrets: readonly string[];
	/** Unreadable keys: their absence from `raw` means nothing. */
	readonly unread: ReadonlySet<KeyPath[number] | undefined>;
};

export type RouteRefusal = {
	readonly code: string;
	readonly reason: string;
	/** The contract refuses the whole receiver; otherwise only the route is invalid. */
	readonly isOfContract: boolean;
	/** The key that causes it. */
	readonly key: string;
};

/**
 * Why a route cannot be served: first the startup refusals of the contract, then other errors, last what this version does not support yet. Empty: it can be served.
 *
 * @see manual/receiver.md#refused-at-the-start, manual/configuration.md#one-slip-takes-one-thing-down
 */
export function refusalsOf(draft: RouteCandidate, context: RouteContext): readonly RouteRefusal[] {
	return rules.flatMap(({code, keys, isOfContract = false, problem}): readonly RouteRefusal[] => {
		const found = keys.some(key => draft.unread.has(key)) ? undefined : problem(draft, context);
		return found === undefined
			? []
			: [
					{
						code: typeof found === 'string' ? code : found.code,
						reason: `Route "${draft.name}" ${typeof found === 'string' ? found : found.reason}`,
						isOfContract,
						key: keys.find(key => draft.raw[key] !== undefined) ?? '',
					},
				];
	});
}

type Rule = {
	readonly code: string;
	/** The keys that the rule checks; the problem is reported at the first present one. */
	readonly keys: ReadonlyArray<keyof RawRoute>;
	/** Listed in manual/receiver.md#refused-at-the-start. */
	readonly isOfContract?: true;
	/** The problem, as the rest of a sentence after the name of the route; `undefined`: none. */
	readonly problem: (
		draft: RouteCandidate,
		context: RouteContext,
	) => string | TargetProblem | undefined;
};

/** Whether a key has a value; null counts as absent. */
export const isSet = <Value>(value: Value): value is NonNullable<Value> =>
	value !== undefined && value !== null;

const when = (applies: boolean, says: string): string | undefined => (applies ? says : undefined);

/** The rule that the contract refuses `one` together with `other`. */
const exclusive = (one: ExclusiveKey, other: ExclusiveKey): Rule => ({
	code: `${one}_with_${other}`,
	keys: [one, other],
	isOfContract: true,
	problem: ({raw}) =>
		when(
			[one, other].every(key => (key === 'deliver_only' ? raw[key] === true : isSet(raw[key]))),
			`has "${one}" together with "${other}": keep one of them`,
		),
});

type ExclusiveKey = 'coalesce' | 'cron_job' | 'deliver_only';

const rules: readonly Rule[] = [
	{
		code: 'profile_invalid',
		keys: ['profile'],
		problem: ({raw}, context) =>
			when(
				boundProfile(raw.profile, context) === undefined,
				'has a "profile" that is not a name: name a profile or remove the key',
			),
	},
	{
		code: 'route_without_secret',
		keys: ['secret'],
		isOfContract: true,
		problem: ({raw, secrets}) =>
			when(
				secrets.length === 0,
				raw.secret === undefined
					? 'has no secret: set its own or platforms.webhook.secret (WEBHOOK_SECRET)'
					: 'has an empty secret, which inherits nothing: set one, or remove the key to use the global one',
			),
	},
	{
		code: 'secret_invalid',
		keys: ['secret', 'retired_secrets', 'signature'],
		problem: secretProblem,
	},
	{
		code: 'deliver_only_without_target',
		keys: ['deliver_only', 'deliver'],
		isOfContract: true,
		problem: ({raw}) =>
			when(
				raw.deliver_only === true && !reachesPeople(targetOf(raw.deliver)),
				'has "deliver_only" with "deliver" absent or "log": set "deliver" to a real target',
			),
	},
	exclusive('cron_job', 'deliver_only'),
	exclusive('coalesce', 'deliver_only'),
	exclusive('coalesce', 'cron_job'),
	{
		// There is no run that could wait: the sender gets the result of the delivery in the answer.
		code: 'overflow_with_deliver_only',
		keys: ['overflow', 'deliver_only'],
		problem: ({raw}) =>
			when(
				raw.deliver_only === true && raw.overflow === 'queue',
				'has "overflow: queue" together with "deliver_only", which queues nothing: keep one of them',
			),
	},
	{
		code: 'coalesce_invalid',
		keys: ['coalesce'],
		problem: ({raw}) => invalid('coalesce', isSet(raw.coalesce), problemWithCoalesce(raw.coalesce)),
	},
	{
		code: 'signature_invalid',
		keys: ['signature'],
		problem: ({raw}) =>
			invalid('signature', isSet(raw.signature), problemWithSignature(raw.signature)),
	},
	{
		code: 'signature_without_url',
		keys: ['signature', 'public_url'],
		problem: ({raw}) =>
			when(
				signsAddress(raw.signature) && !isSet(raw.public_url),
				'has a "signature" that covers the address: set "public_url" to the URL that the sender was given',
			),
	},
	{
		code: 'insecure_not_loopback',
		keys: ['secret'],
		isOfContract: true,
		problem: ({secrets}, {host}) =>
			when(
				secrets.includes(insecureSecret) && !mayServeInsecure(host),
				`uses ${insecureSecret} while the receiver listens on "${host}": set a secret, or set platforms.webhook.host to 127.0.0.1`,
			),
	},
	{
		code: 'target_unusable',
		keys: ['deliver', 'deliver_extra', 'cron_job'],
		problem: ({raw}) =>
			isSet(raw.cron_job) ? undefined : targetProblem(raw.deliver, raw.deliver_extra),
	},
];

const invalid = (key: string, isThere: boolean, problem: string | undefined): string | undefined =>
	isThere && problem !== undefined ? `has an invalid "${key}": ${problem}` : undefined;

function secretProblem({raw, secrets}: RouteCandidate, {host}: RouteContext): string | undefined {
	// In a list it would silently open the route. Alone and off loopback, the contract refuses it.
	const isInList = secrets.length > 1 || Array.isArray(raw.secret);
	if (isInList && secrets.includes(insecureSecret) && mayServeInsecure(host)) {
		return `has ${insecureSecret} in a list of secrets: it counts only when it stands alone`;
	}

	const hasSignature = isSet(raw.signature);
	const isHexKey = hasHexKeys(raw.signature);
	const retired = (raw.retired_secrets ?? []).map(({secret}) => secret);
	const [problem] = [...secrets, ...retired].flatMap(
		secret => problemWithSecret(secret, {hasSignature, isHexKey}) ?? [],
	);
	const says = problemWithSecrets(secrets, {isHexKey}) ?? problem;
	return says && `has ${says}`;
}

/** The secrets in a value of `secret`, without blank ones. */
export const writtenSecrets = (written: string | readonly string[] | null | undefined) =>
	[written ?? []].flat().filter(secret => secret.trim() !== '');
