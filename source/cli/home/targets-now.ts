import type {Config} from '../../config/config.ts';
import {targetNamed} from '../../platforms/platforms.ts';
import type {Context} from '../console/context.ts';
import {openDeliverer} from './open-deliverer.ts';

/** Whose answers go where. */
type Sending = {readonly kind: string; readonly profile: string};

/**
 * Why nothing can be sent to these now (a client that is not logged in), a sentence each, in their order; `undefined` where nothing is known to be wrong. Each kind and profile is asked
 * once, for up to 5 s. What the configuration alone tells is told where it is read.
 */
export async function problemsNow(
	context: Context,
	config: Config,
	sendings: readonly Sending[],
): Promise<ReadonlyArray<string | undefined>> {
	await using deliverer = openDeliverer(context, config);
	const asked = new Map<string, Promise<string | undefined>>();
	// Awaited here: the deliverer ends when this function does.
	return await Promise.all(
		sendings.map(async ({kind, profile}) => {
			if (targetNamed(kind)?.settings) {
				return undefined;
			}

			const key = JSON.stringify([kind, profile]);
			const answer = asked.get(key) ?? deliverer.problemNow(kind, profile);
			asked.set(key, answer);
			return answer;
		}),
	);
}
