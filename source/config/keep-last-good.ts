import {messageOf} from '../core/errors.ts';
import type {JsonObject} from '../core/json.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {World} from '../core/world.ts';
import type {Config, ConfigError, WebhookConfig} from './config.ts';
import {serverAt} from './invalid-server.ts';
import {itemKey} from './item-errors.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {valueAt, type KeyPath} from './plain-data.ts';
import {secretsOfPlatforms} from './platform-settings.ts';
import {hasReference} from './references.ts';
import {membersBySchema, findUnknownKeys} from './schema-issues.ts';
import {collectSecrets} from './secret-values.ts';
import {sections} from './sections.ts';
import {serverSecrets} from './server-secrets.ts';
import {receiverPath, type ErrorReason} from './sort-errors.ts';
import type {EditedText} from './text-files.ts';

const sectionsByKey = new Map(sections.map(section => [itemKey(section.path.split('.')), section]));

const maxItemLength = 200;

/**
 * `config` was read without the invalid items (`reasons`). Adds the last good version of each of them from `before`, the configuration in use, if it has one, and
 * `lastRoutes`. Pure.
 *
 * @see manual/routes.md#keys
 */
export function keepLastGood(
	config: Config,
	options: {
		readonly reasons: readonly ErrorReason[];
		/** Whether `config` already contains the last good values of invalid receiver settings. */
		readonly isReceiverUsable: boolean;
		/** The last good versions of invalid static routes. */
		readonly lastRoutes: WebhookConfig['routes'];
		readonly before: Config | undefined;
	},
): Config {
	const {reasons, isReceiverUsable, lastRoutes, before} = options;
	const itemErrors = new Map<string, ConfigError>();
	const {webhook} = config;
	let result: Config =
		lastRoutes.size === 0
			? config
			: {...config, webhook: {...webhook, routes: new Map([...webhook.routes, ...lastRoutes])}};
	// Secrets of values that stay in use stay hidden.
	const secrets = [...secretsOf({webhook: {...webhook, routes: lastRoutes}})];
	for (const {path, reason} of reasons) {
		const section = sectionsByKey.get(itemKey(path));
		const server = before?.toolServers.get(serverAt(path) ?? '');
		const kept = server !== undefined || (before !== undefined && section?.isIn(before) === true);
		const item = escapeLine(path.join('.'), maxItemLength);
		itemErrors.set(itemKey(path), {path, item, reason, kept});
		if (server) {
			result = {...result, toolServers: new Map([...result.toolServers, [server.name, server]])};
			secrets.push(...secretsOf({toolServers: new Map([[server.name, server]])}));
		} else if (isReceiverUsable && itemKey(path) === itemKey(receiverPath)) {
			secrets.push(...secretsOf({webhook}));
		} else if (section && before && kept) {
			const last = section.keep(before, result);
			result = {...result, ...last};
			secrets.push(...secretsOf(last));
		} else if (section) {
			result = {...result, ...section.absent(reason, result)};
		}
	}

	return {
		...result,
		itemErrors,
		secretValues: [...new Set([...result.secretValues, ...secrets])],
	};
}

/** The secrets in a part of a configuration. */
const secretsOf = ({webhook, toolServers, ...rest}: Partial<Config>): readonly string[] => [
	...collectSecrets([rest, webhook && {...webhook, routes: [...webhook.routes.values()]}], []),
	...secretsOfPlatforms(rest.platforms ?? {}),
	...[...(toolServers?.values() ?? [])].flatMap(serverSecrets).filter(text => !hasReference(text)),
];

/** A file changed less than this ago may change again without a new time stamp. */
const unsettledMs = 100;

/** The content of a text, or its last good content. */
export type LastGood = {
	/** Why the text cannot be used now; the other members are of the last good text. */
	readonly problem?: string;
	/** With `problem`: no text has been good yet, so that its content is unknown. */
	readonly isUnread?: true;
};

/**
 * Reads a text again whenever its stamp changes; a call without a change costs one `stat`. If `read` throws, the problem is logged once to `log`, with the `consequence`,
 * and the last result stays, overridden by `failed`. A changed text makes a new object. Never throws.
 */
export function createLastGoodReader<Read extends LastGood>(
	written: Omit<EditedText, 'edit'>,
	{clock, log}: Pick<World, 'clock' | 'log'>,
	options: {
		/** The result before the first text. */
		readonly first: Read;
		/** The text in place of a missing one. */
		readonly absent: string;
		/** Parses the text; `last`: the result before. */
		readonly read: (text: string, last: Read) => Read;
		/** Members that override the last result while the text cannot be used. */
		readonly failed?: Partial<Read>;
		/** The consequence, as the rest of the sentence after the problem. */
		readonly consequence: (wasRead: boolean) => string;
	},
): {current(): Read} {
	const {first, absent, read, failed, consequence} = options;
	let stamp: string | undefined;
	let lastText: string | undefined;
	let last = first;
	let wasRead = false;
	const reread = () => {
		try {
			const text = written.read() ?? absent;
			if (text !== lastText) {
				last = read(text, last);
				lastText = text;
				wasRead = true;
			}
		} catch (error) {
			const problem = messageOf(error);
			if (problem !== last.problem) {
				log.warn(`${problem}; ${consequence(wasRead)}`);
				last = {...last, ...failed, problem, ...(!wasRead && {isUnread: true})};
				lastText = undefined;
			}
		}
	};

	return {
		current() {
			const seen = written.stamp();
			if (seen.stamp !== stamp) {
				reread();
				stamp = clock.now() - seen.changedAt > unsettledMs ? seen.stamp : undefined;
			}

			return last;
		},
	};
}

/**
 * Keys in use that are no longer written, while their mapping has an unknown key that is new or has nearly the same name (`schema`: a JSON Schema as `configSchemaJson`
 * makes it): probably a typing error, without which a default would not apply. Both values are plain data of the same file; `inUse` is the one in force.
 */
export function findLostKeys(
	value: unknown,
	inUse: unknown,
	{
		schema,
		standsElsewhere = () => false,
	}: {
		readonly schema: JsonObject;
		/** Whether a setting is written in another of its possible places. */
		readonly standsElsewhere?: (path: KeyPath) => boolean;
	},
): readonly UnplacedDiagnostic[] {
	const knownIn = new Map(
		membersBySchema(value, schema).map(({path, known}) => [itemKey(path.slice(0, -1)), known]),
	);
	const lost = new Map<string, UnplacedDiagnostic>();
	for (const {path, nearest} of findUnknownKeys(value, schema)) {
		const mapping = path.slice(0, -1);
		const isNew = valueAt(inUse, path) === undefined;
		for (const key of (knownIn.get(itemKey(mapping)) ?? []).filter(
			known => isNew || known === nearest,
		)) {
			const place = [...mapping, key];
			const isLost =
				valueAt(inUse, place) !== undefined &&
				valueAt(value, place) === undefined &&
				!standsElsewhere(place);
			if (isLost && (key === nearest || !lost.has(itemKey(place)))) {
				lost.set(itemKey(place), {
					path: place,
					shownAt: path,
					at: 'key',
					message: `was in use and is not there any more, but "${String(path.at(-1))}" is, which is unknown: mend or remove that`,
				});
			}
		}
	}

	return [...lost.values()];
}

/** A copy of `value` with the values of `inUse` at `paths`; a path that `inUse` lacks is removed. */
export function withInUse(
	value: JsonObject,
	inUse: JsonObject,
	paths: readonly KeyPath[],
): JsonObject {
	const result = structuredClone(value);
	for (const path of paths) {
		const last = path.at(-1);
		const mapping = valueAt(result, path.slice(0, -1));
		const old = valueAt(inUse, path);
		if (last === undefined || typeof mapping !== 'object' || mapping === null) {
			continue;
		}

		if (old === undefined) {
			Reflect.deleteProperty(mapping, last);
		} else {
			Reflect.set(mapping, last, old);
		}
	}

	return result;
}
