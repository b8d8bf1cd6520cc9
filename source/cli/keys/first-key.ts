import {loadConfig} from '../../config/load-config.ts';
import {messageOf} from '../../core/errors.ts';
import type {Context} from '../console/context.ts';
import {printLines, tell} from '../console/print.ts';
import {changeLockWaitMs, openHome} from '../home/open-home.ts';

/**
 * Creates the first key of the chat API and prints it once, for a person setting up a home that serves the API and never had a key. Failures are reported, and
 * stop nothing.
 */
export async function printFirstKey(context: Context): Promise<void> {
	const loaded = loadConfig({paths: context.paths(), environment: context.environment});
	if (!loaded.ok || !loaded.config.api.enabled) {
		return;
	}

	try {
		await using home = await openHome(context, 'write', {lockWaitMs: changeLockWaitMs});
		const minted = await home.createFirstKey();
		if (minted) {
			tell(context, `${minted.key.id}: a key for the chat API. It is shown once, keep it`);
			printLines(context, [minted.secret]);
		}
	} catch (error) {
		tell(context, `No key was made for the chat API ("svc keys create"): ${messageOf(error)}`);
	}
}
