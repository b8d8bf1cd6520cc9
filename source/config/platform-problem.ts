import {platformNamed} from '../platforms/platforms.ts';
import type {PlatformSettings} from '../platforms/target-kind.ts';
import type {Config} from './config.ts';
import {itemKey} from './item-errors.ts';
import {platformSettings} from './platform-settings.ts';

/** Why results that go to `deliver` (an alias resolved) would not arrive as things are configured: what follows the subject in a sentence. `undefined`: they may, or that is told of where the platform is. */
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

/** Why nothing can be sent to a platform that is enabled, as its settings are: what it lacks, or a home channel that is none. What follows its name in a sentence. */
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

const whyOff = (deliver: string, settings: PlatformSettings | undefined): string | undefined =>
	settings?.enabled
		? settings.lacks &&
			`delivers to "${deliver}", which lacks ${settings.lacks}: see platforms.${deliver}`
		: `delivers to "${deliver}", which is not enabled: see platforms.${deliver}`;
