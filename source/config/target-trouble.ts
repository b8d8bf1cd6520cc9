import type {Config} from './config.ts';

/** Why results that go to `deliver` (an alias resolved) would not arrive as things are configured: what follows the subject in a sentence. `undefined`: they may, or that is told of where the platform is. */
export const targetTrouble = (
	deliver: string,
	{platforms, slips}: Pick<Config, 'platforms' | 'slips'>,
): string | undefined =>
	deliver === 'email' && !platforms.email?.enabled && !slips.has('platforms.email')
		? 'delivers to "email", which is not enabled: see platforms.email'
		: undefined;
