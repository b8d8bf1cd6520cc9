import {platformNamed} from '../platforms/platforms.ts';
import type {Config} from './config.ts';
import {platformSettings} from './platform-settings.ts';
import {slipKey} from './slips.ts';

/** Why results that go to `deliver` (an alias resolved) would not arrive as things are configured: what follows the subject in a sentence. `undefined`: they may, or that is told of where the platform is. */
export const problemWithPlatform = (
	deliver: string,
	{platforms, slips}: Pick<Config, 'platforms' | 'slips'>,
): string | undefined =>
	platformNamed(deliver) &&
	!platformSettings({platforms}, deliver)?.enabled &&
	!slips.has(slipKey(['platforms', deliver]))
		? `delivers to "${deliver}", which is not enabled: see platforms.${deliver}`
		: undefined;
