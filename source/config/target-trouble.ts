import type {Config} from './config.ts';

/** Why results that go to `deliver` (an alias resolved) would not arrive as things are configured: what follows the subject in a sentence. `undefined`: they may. */
export const targetTrouble = (
	deliver: string,
	{platforms}: Pick<Config, 'platforms'>,
): string | undefined =>
	deliver === 'email' && !platforms.email?.enabled
		? 'delivers to "email", which is not enabled: see platforms.email'
		: undefined;
