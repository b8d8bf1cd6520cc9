import {isDeepStrictEqual} from 'node:util';
import type {JsonObject} from '../core/json.ts';
import type {ConversingSettings} from '../platforms/conversing.ts';
import {
	platformKinds,
	platformNamed,
	type PlatformsConfig,
	type SectionsConfig,
	sectionsOfKinds,
} from '../platforms/platforms.ts';
import type {PlatformSettings} from '../platforms/target-kind.ts';
import type {Config, ConfigError} from './config.ts';
import {itemKey} from './item-errors.ts';
import type {Route} from './route.ts';

/** The settings of the platform `kind`; `undefined` if it is not configured, or its section is invalid. */
export function platformSettings(
	{platforms: configured}: Pick<Config, 'platforms'>,
	kind: string,
): PlatformSettings | undefined {
	const all: Readonly<Record<string, PlatformSettings | undefined>> = configured;
	return Object.hasOwn(all, kind) ? all[kind] : undefined;
}

/** The settings of a platform on which people can talk with the agent; `undefined` for other platforms. */
export const conversingSettings = (
	config: Pick<Config, 'platforms'>,
	kind: string,
): (ConversingSettings & PlatformSettings) | undefined =>
	platformNamed(kind)?.listens
		? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- those that listen have them
			(platformSettings(config, kind) as (ConversingSettings & PlatformSettings) | undefined)
		: undefined;

/** Whether the platform is enabled and listened to. */
export const isHeard = (config: Pick<Config, 'platforms'>, kind: string): boolean => {
	const settings = conversingSettings(config, kind);
	return settings?.enabled === true && settings.inbound;
};

type SectionOfKind = SectionsConfig[keyof SectionsConfig];

/** The settings in the section `name`. */
export function sectionSettings(config: SectionsConfig, name: string): SectionOfKind | undefined {
	const all: Readonly<Record<string, SectionOfKind>> = config;
	return all[name];
}

/** The sections of platforms and targets in `parsed`, the output of the schema. */
export const sectionsIn = (parsed: Readonly<Record<string, unknown>>): SectionsConfig =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas of these sections made it
	Object.fromEntries(sectionsOfKinds.map(({name}) => [name, parsed[name]])) as SectionsConfig;

/** The error of `platforms.<kind>`, unless its last good version is in use. */
export const platformError = (
	{itemErrors}: Pick<Config, 'itemErrors'>,
	kind: string,
): ConfigError | undefined =>
	[['platforms', kind], ['platforms']]
		.map(path => itemErrors.get(itemKey(path)))
		.find(itemError => itemError?.kept === false);

/** The platforms in the parsed section. Unchanged settings are the same object as in `before`, so that their connections stay. */
export const platformsIn = (
	parsed: Readonly<Record<string, unknown>>,
	before: PlatformsConfig = {},
): PlatformsConfig =>
	Object.fromEntries(
		platformKinds.flatMap(({kind}) => {
			const value = parsed[kind];
			const old = platformSettings({platforms: before}, kind);
			return value === undefined ? [] : [[kind, isDeepStrictEqual(value, old) ? old : value]];
		}),
	);

/** Secret texts in the settings of platforms, besides those whose key names a secret. */
export const secretsOfPlatforms = (configured: PlatformsConfig): readonly string[] =>
	platformKinds.flatMap(platform => {
		const settings = platformSettings({platforms: configured}, platform.kind);
		return (settings && platform.secrets?.(settings)) ?? [];
	});

/**
 * Why results for `deliver` (alias resolved) cannot arrive with this configuration: a predicate such as `delivers to …`. `undefined`: they can, or the platform has an
 * error of its own, which is reported there.
 */
export const problemWithPlatform = (
	deliver: string,
	{
		platforms,
		itemErrors,
	}: Pick<Config, 'platforms'> & {
		/** By `itemKey`. */
		readonly itemErrors: {has(key: string): boolean};
	},
): string | undefined =>
	platformNamed(deliver) && !itemErrors.has(itemKey(['platforms', deliver]))
		? whyOff(deliver, platformSettings({platforms}, deliver))
		: undefined;

/** `problemWithPlatform` for a route; the answers of a job are checked with the job. */
export const problemWithAnswers = (
	{deliver, cronJob}: Pick<Route, 'deliver' | 'cronJob'>,
	known: Parameters<typeof problemWithPlatform>[1],
): string | undefined => (cronJob === undefined ? problemWithPlatform(deliver, known) : undefined);

/** Why an enabled platform cannot send: a missing setting or an invalid `home_channel`. A predicate for its name. */
export function problemWithSettings(
	kind: string,
	settings: PlatformSettings | undefined,
): string | undefined {
	if (settings?.lacks !== undefined) {
		return `lacks ${settings.lacks}`;
	}

	const home = settings && platformNamed(kind)?.check({}, settings);
	return home?.ok === false && home.code === 'target_invalid'
		? `has a home_channel that cannot be sent to: ${home.problem}`
		: undefined;
}

/** Why the platform refuses the chat in `extra`: a predicate for `chat_id`; `undefined` if it accepts it. */
export function problemWithChatId(
	kind: string,
	extra: JsonObject,
	settings: PlatformSettings,
): string | undefined {
	const place = platformNamed(kind)?.check(extra, settings);
	return place?.ok === false ? place.problem.replaceAll('deliver_extra.', '') : undefined;
}

const whyOff = (deliver: string, settings: PlatformSettings | undefined): string | undefined =>
	settings?.enabled
		? settings.lacks &&
			`delivers to "${deliver}", which lacks ${settings.lacks}: see platforms.${deliver}`
		: `delivers to "${deliver}", which is not enabled: see platforms.${deliver}`;
