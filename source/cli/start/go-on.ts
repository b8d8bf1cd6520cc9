import {closeSync, constants, openSync} from 'node:fs';
import type {HomePaths} from '../../config/config.ts';
import {messageOf} from '../../core/errors.ts';
import type {GatewayState} from '../../core/state.ts';
import type {Gateway} from '../../gateway/gateway.ts';
import {leaveTerminal} from '../../terminal/leave-terminal.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import type {Shown} from '../console/shown.ts';
import {openOutput} from './open-output.ts';

/**
 * Lets the gateway of this process go on without a terminal, which is given back, or gone; resolves when it is asked to stop. What is not for its log goes to
 * `logs/gateway.out` from now on, or nowhere when that cannot be written.
 *
 * @throws SvcError when the gateway could not be started
 */
export async function goOn(
	{context, stop}: Pick<Shown, 'context' | 'stop'>,
	gateway: Gateway,
): Promise<void> {
	const paths = context.paths();
	await gateway.started;
	for (const sentence of partingWords(gateway.port.getState(), process.pid)) {
		tell(context, sentence);
	}

	leaveTerminal(context, outputOf(context, paths));
	gateway.goOnAlone();
	releaseLauncher(context);
	await Promise.race([stop.asked, gateway.stopped]);
}

/** Opened once before it is needed: what is wrong with it is said while there is somebody to hear it, and ends nothing. */
function outputOf(context: Context, paths: HomePaths): () => number {
	const open = () => openOutput(paths, constants.O_APPEND).fd;
	try {
		closeSync(open());
		return open;
	} catch (error) {
		tell(context, `What is not for its log is kept nowhere: ${messageOf(error)}`);
		return () => openSync('/dev/null', 'w');
	}
}

/** What a person should know who leaves a gateway to itself: on the screen a banner said that nothing listens, from here on nothing does. */
export const partingWords = (
	{webhook, api}: Pick<GatewayState, 'webhook' | 'api'>,
	pid: number,
): readonly string[] => [
	`The gateway goes on, process ${pid}: "svc" attaches, "svc gateway stop" ends it`,
	...(webhook.state === 'refused' ? [`It takes no webhooks: ${webhook.reason}`] : []),
	...(api?.state === 'refused' ? [`It does not serve the chat API: ${api.reason}`] : []),
];

/** Whoever waits for us at the terminal may go; the shell has its prompt back then. */
function releaseLauncher({launcher}: Pick<Context, 'launcher'>): void {
	// Once it is gone, its number may be that of somebody else.
	if (launcher !== undefined && process.ppid === launcher) {
		try {
			process.kill(launcher, 'SIGUSR1');
		} catch {
			// It went this very moment.
		}
	}
}
