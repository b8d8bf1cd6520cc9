import {platformKinds, type PlatformsConfig} from '../platforms/platforms.ts';
import type {PlatformSettings} from '../platforms/target-kind.ts';
import type {Config, Slip} from './config.ts';
import {slipKey} from './slips.ts';

/** What is configured of the platform `kind`; `undefined`: nothing, or nothing that could be used. */
export function platformSettings(
	{platforms: configured}: Pick<Config, 'platforms'>,
	kind: string,
): PlatformSettings | undefined {
	const all: Readonly<Record<string, PlatformSettings | undefined>> = configured;
	return Object.hasOwn(all, kind) ? all[kind] : undefined;
}

/** What is wrong with `platforms.<kind>`, when no last good version of it is in use. */
export const platformSlip = ({slips}: Pick<Config, 'slips'>, kind: string): Slip | undefined =>
	[['platforms', kind], ['platforms']]
		.map(path => slips.get(slipKey(path)))
		.find(slip => slip?.kept === false);

/** The platforms of this version among `parsed`, what the schema made of the section. */
export const platformsIn = (parsed: Readonly<Record<string, unknown>>): PlatformsConfig =>
	Object.fromEntries(
		platformKinds.flatMap(({kind}) => (parsed[kind] === undefined ? [] : [[kind, parsed[kind]]])),
	);

/** Texts in the settings of platforms that must never be shown, besides those below a key whose name says so. */
export const secretsOfPlatforms = (configured: PlatformsConfig): readonly string[] =>
	platformKinds.flatMap(platform => {
		const settings = platformSettings({platforms: configured}, platform.kind);
		return (settings && platform.secrets?.(settings)) ?? [];
	});
