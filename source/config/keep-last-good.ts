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
 * `config`, read without the items that cannot be used (`reasons`), with the last good version of each of them where `before`, the configuration in use, has one, and with
 * `lastRoutes`. Pure.
 *
 * @see manual/routes.md#keys
 */
export function keepLastGood(
	config: Config,
	options: {
		readonly reasons: readonly ErrorReason[];
		/** Whether the last good values of the receiver's settings that are invalid stand in `config` already. */
		readonly isReceiverUsable: boolean;
		/** Static routes that are invalid, as they are served. */
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
	// What stays in use stays secret.
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

/** A file changed less than this ago may change again within the same tick of its time stamp. */
const unsettledMs = 100;

/** What a text says, or said last when it could be used. */
export type LastGood = {
	/** Why the text could not be used; the rest is then that of the last good one. */
	readonly problem?: string;
	/** With `problem`: none has been good yet, so that it is not known what the text holds. */
	readonly isUnread?: true;
};

/**
 * Reads a text again whenever its stamp changed: one `stat` a call, and nothing more unless it did. A text that `read` throws for is reported once to `log`, with the `consequence`, and leaves
 * what was read last in place, but for `failed`. A change of the text makes a new object. Never throws.
 */
export function createLastGoodReader<Read extends LastGood>(
	written: Omit<EditedText, 'edit'>,
	{clock, log}: Pick<World, 'clock' | 'log'>,
	options: {
		/** Before the first text. */
		readonly first: Read;
		/** Stands for a text that is not there. */
		readonly absent: string;
		/** What the text says; `last`: what counts until then. */
		readonly read: (text: string, last: Read) => Read;
		/** Differs in what was read last while the text cannot be used. */
		readonly failed?: Partial<Read>;
		/** What follows the problem in a sentence. */
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
 * Keys that are in use and not written any more, in a mapping that gained a key, or has one of nearly the same name, which `schema` (a JSON Schema as `configSchemaJson` makes it) has no room for: probably one became the other by
 * a typing error, and without it a default would hold. Both values are plain data of the same file, `inUse` as it counts now.
 */
export function findLostKeys(
	value: unknown,
	inUse: unknown,
	{
		schema,
		standsElsewhere = () => false,
	}: {
		readonly schema: JsonObject;
		/** Whether a setting is written in another of its places. */
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

/** `value` with what stands at each of `paths` in `inUse`: nothing where that has nothing. */
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
